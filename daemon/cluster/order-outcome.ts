import { ApiError, type ErrorKind, statusByErrorKind } from "../../shared/errors.ts";
import { GuardFailed } from "../ledger/transaction/commit-errors.ts";
import type { OrderOutcome } from "./cluster.ts";

/** What an order that failed tells the daemon that gave it; what is nobody's business outside is told in general words. */
export function outcomeOf(error: unknown): OrderOutcome {
  if (error instanceof GuardFailed) return { kind: "guardFailed", guard: error.guard };
  if (error instanceof ApiError) {
    const { kind, message, extra } = error;
    return { kind: "refused", error: { kind, message, extra } };
  }
  const message = "The daemon that drives the run could not do it; try again in a moment";
  return { kind: "refused", error: { kind: "unavailable", message } };
}

/** Throws what the daemon that carried it out threw. */
export function readOutcome(outcome: Exclude<OrderOutcome, { kind: "unfit" }>): void {
  if (outcome.kind === "done") return;
  if (outcome.kind === "guardFailed") throw new GuardFailed(outcome.guard);
  const { kind, message, extra } = outcome.error;
  throw new ApiError(isErrorKind(kind) ? kind : "unavailable", message, {
    ...(extra !== undefined && { extra }),
    ...(kind === "unavailable" && { retryAfterSeconds: 2 }),
  });
}

function isErrorKind(kind: string): kind is ErrorKind {
  return kind in statusByErrorKind;
}
