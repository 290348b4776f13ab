import { z } from "zod";
import { answerStatus, extractor, scalar } from "./values.ts";

export const ErrorRule = z
  .strictObject({
    when: z
      .strictObject({
        status: z.array(answerStatus).optional().describe("Any of these statuses."),
        match: z
          .record(z.string(), z.union([scalar, z.null(), z.array(z.union([scalar, z.null()]))]))
          .optional()
          .describe("Extractor to the value that it must give, or to several, any of which fits."),
        missing: z.array(extractor).optional().describe("Extractors none of which may find anything."),
      })
      .describe("All that is named must hold."),
    as: z
      .strictObject({
        status: z.int().min(200).max(599).optional().describe("The status that callers see."),
        message: z.string().optional().describe("An extractor, or the words themselves."),
        retry: z.boolean().optional().describe("true: retried like what http.retry lists; false: never."),
        empty: z.boolean().optional().describe("A success with zero results."),
      })
      .describe("What the answer is taken for."),
  })
  .meta({ id: "ManifestErrorRule" });
export type ErrorRule = z.infer<typeof ErrorRule>;
