import { z } from "zod";
import { answerStatus, extractor, partName, scalar } from "./values.ts";
import { Call } from "./call.ts";
import { Pages } from "./pages.ts";

export const Async = z
  .strictObject({
    start: z
      .strictObject({
        id: extractor.describe("The vendor's id of the job; ${run.externalId} in later calls."),
        keep: z.record(partName, extractor).optional().describe("Values for later calls: ${state.<name>}."),
        doneIf: z
          .strictObject({
            status: z.array(answerStatus).optional().describe("Any of these statuses."),
            match: z
              .record(z.string(), z.unknown())
              .optional()
              .describe("Extractor to the value that it must give, or to several, any of which fits."),
          })
          .optional()
          .describe("When the job was finished at once."),
      })
      .describe("Read from the answer of request."),
    poll: Call.extend({
      everyMs: z.int().min(10).default(2_000).describe("The first wait between two polls."),
      factor: z.number().min(1).default(1).describe("The wait is multiplied by this each time."),
      maxEveryMs: z.int().min(10).optional().describe("The longest wait between two polls."),
      status: extractor.describe("Extractor of the vendor's word for the state."),
      states: z
        .strictObject({
          running: z.array(scalar).optional().describe("Words for a job that is still running."),
          done: z.array(scalar).min(1).describe("Words for a job whose result is there."),
          failed: z
            .array(scalar)
            .default([])
            .describe("Words for a job that came to nothing: the run ends with 500 and the vendor's message."),
          stopped: z.array(scalar).optional().describe("Words for a job that was stopped."),
        })
        .describe("The vendor's words for what a job may be; an unknown one counts as running until runMs."),
      keep: z.record(partName, extractor).optional().describe("Values for later calls, read from each poll."),
      message: extractor.optional().describe("Extractor of the vendor's words when a job failed."),
      progress: extractor.optional().describe("Extractor of how far it is, shown as it comes."),
      progressUnit: z
        .string()
        .min(1)
        .max(30)
        .optional()
        .describe(
          "What progress counts: percent, fraction (of 1), or what there are so many of, such as pages. Only percent and fraction are shown as a percentage.",
        ),
      transient: z
        .array(z.int())
        .default([429, 500, 502, 503, 504])
        .describe("Statuses of a poll that say nothing about the job."),
    }).describe("The call that asks how the job is."),
    result: Call.extend({
      pages: Pages.optional().describe("How the result goes on."),
    })
      .optional()
      .describe("The call for the result; without it, the last poll's body is the result."),
    stop: Call.extend({
      ok: z.array(z.int()).default([200, 202, 204, 404, 409]).describe("Statuses after which it counts as stopped."),
    })
      .optional()
      .describe("The call that stops a job; without it, a stop only ends our polling."),
    runMs: z.int().min(1_000).max(86_400_000).default(300_000).describe("Deadline of the run."),
  })
  .meta({ id: "ManifestAsync" });
export type Async = z.infer<typeof Async>;
