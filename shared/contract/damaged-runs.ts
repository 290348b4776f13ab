import { z } from "zod";
import { DateTime } from "./common.ts";

/** A run whose record is damaged on the disk: what is still known about it. */
export const DamagedRun = z
  .object({
    runId: z.string(),
    provider: z.string(),
    endpoint: z.string(),
    status: z.string().meta({ description: "As that of any run." }),
    createdAt: DateTime,
    message: z.string(),
  })
  .meta({ id: "DamagedRun" });
export type DamagedRun = z.infer<typeof DamagedRun>;

export const DamagedRuns = z
  .array(DamagedRun)
  .optional()
  .meta({ description: "Runs among these whose records are damaged and cannot be read. Absent: none." });
