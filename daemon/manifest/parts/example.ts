import { z } from "zod";
import { headerName } from "./values.ts";

/**
 * A recorded answer of the vendor. A text as `body` is sent unchanged, or as decoded bytes when the endpoint's media is
 * `base64`; everything else is sent as JSON.
 */
export const RecordedAnswer = z
  .strictObject({
    status: z.int().min(200).max(599).default(200).describe("Its status."),
    headers: z.record(headerName, z.string()).optional().describe("Its headers, as far as something reads them."),
    body: z.unknown().describe("Its body: JSON, or a text."),
  })
  .meta({ id: "ManifestRecordedAnswer" });
export type RecordedAnswer = z.infer<typeof RecordedAnswer>;

/**
 * A call that was tried, or that the vendor's documentation shows; `mkt catalog test` replays it. `response` answers
 * every call; for an endpoint with a job it is the result, and start and polls are simulated. `responses` answers the
 * calls in their order: retries, then for a job its start, its polls, the pages of its result. Access tokens are not
 * among them.
 */
export const Example = z.strictObject({
  name: z.string().min(1).describe("What it shows, in a few words."),
  input: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("As a caller gives it: flat, or in pathParams, queryParams and body."),
  source: z
    .string()
    .optional()
    .describe("live and a date where it was really called, else the documentation page that it was taken from."),
  response: RecordedAnswer.optional().describe("The provider's answer."),
  responses: z
    .array(RecordedAnswer)
    .min(1)
    .optional()
    .describe("The provider's answers one after the other, for jobs and pages."),
  expect: z
    .strictObject({
      count: z.int().optional().describe("Results."),
      costMicroDollars: z.int().optional().describe("What the run costs, in micro-dollars."),
      httpStatus: z.int().optional().describe("The status that the caller sees."),
    })
    .optional()
    .describe("What comes of it."),
});
export type Example = z.infer<typeof Example>;
