import { z } from "zod";
import { Call } from "./call.ts";

/**
 * How a provider's secrets prove themselves: a free call that fails without a good key, or the reason why there is none.
 * docs/manifest.md, "Verify".
 */
export const Verify = Call.partial({ method: true })
  .extend({
    none: z.string().min(1).optional().describe("Why there is no such call; in place of the call."),
    refusedIf: z
      .array(z.int().min(400).max(499))
      .min(1)
      .default([401, 403])
      .describe("Statuses by which the provider refuses a key; 401 and 403 when left out."),
  })
  .meta({ id: "ManifestVerify" });
export type Verify = z.infer<typeof Verify>;
