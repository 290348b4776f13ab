import { z } from "zod";
import { RecordedAmount } from "../money/recorded-amount.ts";
import { RecordedRunId } from "./recorded-ids.ts";

/** How a run takes part in the reuse of answers. Absent in its record: its provider's file does not allow it. */
export const RunReuse = z.object({
  /** SHA-256 (hex) of all that decides the answer. See `daemon/reuse/reuse-key.ts`. */
  key: z.string(),
  /** The oldest earlier answer that the run takes instead of a call; absent: it calls its provider in any case. */
  maxAgeSeconds: z.int().exactOptional(),
  /** Its caller may read only runs of its own key, and so gets only their answers. */
  ownKeyOnly: z.literal(true).exactOptional(),
});
export type RunReuse = z.infer<typeof RunReuse>;

/** The earlier run whose answer a run has. */
export const AnsweredFrom = z.object({
  runId: RecordedRunId,
  /** When that run ended, ISO 8601. */
  completedAt: z.string(),
  /** What that run was charged, and this one was not. */
  savedMicroDollars: RecordedAmount,
  /** It ended in its only line; absent: it was accepted first, and waited for that run. */
  atOnce: z.literal(true).exactOptional(),
});
export type AnsweredFrom = z.infer<typeof AnsweredFrom>;

type Ended = { readonly status: string; readonly reuse?: RunReuse; readonly answeredFrom?: AnsweredFrom };

/**
 * The key under which later runs find the answer of a run; undefined if they may not have it. A run that was answered
 * from an earlier one is never found: its answer is as old as that one's.
 */
export function keptUnder({ status, reuse, answeredFrom }: Ended): string | undefined {
  return status === "COMPLETED" && answeredFrom === undefined ? reuse?.key : undefined;
}
