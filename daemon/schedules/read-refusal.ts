import { ApiError } from "../../shared/errors.ts";
import { errorText } from "../../shared/error-text.ts";
import { DiskFull, GuardFailed, StorageFailed } from "../ledger/transaction/commit-errors.ts";

/**
 * What it means for a schedule that its run was refused, so that nothing was run:
 *
 *   look again   the schedule, or its key, has changed meanwhile
 *   later        it cannot be run just now: the same due time is tried again. `failed`: if that does not help, it counts, because
 *                not the service but what it would call is in the way
 *   pause        its key may not run this: no later run could be made
 *   refused      this due time has no run; `failed`: it counts towards the failures that pause the schedule, because waiting does
 *                not help. A limit whose window ends does not count.
 *
 * Source: docs/schedules.md, "What counts as a failure".
 */
export type Refusal =
  | { readonly kind: "lookAgain" }
  | { readonly kind: "later"; readonly failed: boolean }
  | { readonly kind: "pause"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string; readonly failed: boolean };

const LATER: Refusal = { kind: "later", failed: false };

/** Limits that make room again without anybody changing the schedule or its key. */
const PASSING: ReadonlySet<string> = new Set(["KEY_LIMIT", "SCHEDULE_BUDGET", "APPROVALS_FULL"]);

export function readRefusal(error: unknown): Refusal {
  if (error instanceof GuardFailed) return { kind: "lookAgain" };
  if (error instanceof DiskFull || error instanceof StorageFailed) return LATER;
  if (!(error instanceof ApiError))
    return { kind: "refused", message: `Internal error: ${errorText(error)}`, failed: true };
  const { kind, errorCode, message, headers, extra } = error;
  // A route whose members are all out.
  if (kind === "unavailable" && extra["passedOver"] !== undefined && headers["retry-after"] !== undefined) {
    return { kind: "later", failed: true };
  }
  if (errorCode !== undefined && PASSING.has(errorCode)) return { kind: "refused", message, failed: false };
  if (kind === "forbidden") return { kind: "pause", message };
  if (kind === "rateLimited" || kind === "diskFull") return LATER;
  if (kind === "unavailable" && headers["retry-after"] !== undefined) return LATER;
  return { kind: "refused", message, failed: true };
}
