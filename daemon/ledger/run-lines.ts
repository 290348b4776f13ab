import { z } from "zod";
import { Postings } from "./postings.ts";
import { ResourceRecord } from "./resource-record.ts";
import { JobRecord, RunRecord } from "./run-record.ts";

/**
 * Journal lines of runs, version 1 each. `led` entries are micro-dollars and sum to 0. Source: docs/storage.md, "A line" and
 * "Runs and money on the disk".
 */
const common = { v: z.literal(1), at: z.string(), ws: z.string(), run: z.string() };

/** Durable before the provider is called. Its record is READY (waits for a slot) or RUNNING (is called at once). */
export const RunAcceptedLine = z.object({ t: z.literal("run.accepted"), ...common, rec: RunRecord, led: Postings });
/** A waiting run got its slot at the provider. */
export const RunGoLine = z.object({ t: z.literal("run.go"), ...common });
/** The provider accepted the job, or reported something about it that must survive a restart. */
export const RunJobLine = z.object({ t: z.literal("run.job"), ...common, job: JobRecord });
export const RunStopLine = z.object({ t: z.literal("run.stop"), ...common });
/** Self-contained: GET of a finished run needs this line alone. */
export const RunDoneLine = z.object({
  t: z.literal("run.done"),
  ...common,
  rec: RunRecord,
  led: Postings,
  /** Resources as they are after it: made, released. */
  res: z.array(ResourceRecord).exactOptional(),
  /**
   * A large output is in a file of its own, named after its SHA-256 (hex); the record's is null. docs/storage.md, "Outputs".
   */
  out: z.object({ sha256: z.string(), bytes: z.int() }).exactOptional(),
});

export const RunLine = z.discriminatedUnion("t", [RunAcceptedLine, RunGoLine, RunJobLine, RunStopLine, RunDoneLine]);
export type RunLine = z.infer<typeof RunLine>;
