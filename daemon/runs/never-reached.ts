import { isTerminal, type RunRecord } from "../ledger/run-record.ts";

type Ended = Pick<RunRecord, "status" | "providerMayHaveCharged" | "job" | "attempts">;

/**
 * True only when it is sure that nothing of a run that has ended got to its provider, so that it cost nothing: it was
 * BLOCKED, or it FAILED or TIMED_OUT in the line before its provider, or before a byte of the request was written. In doubt
 * (a crash during the call, a lost connection, any answer at all) it is false. What was stopped ended as somebody wished.
 */
export function neverReachedProvider(run: Ended): boolean {
  if (run.status === "BLOCKED") return true;
  if (!isTerminal(run) || run.status === "COMPLETED" || run.status === "STOPPED") return false;
  return (
    run.providerMayHaveCharged === undefined &&
    run.job === undefined &&
    run.attempts.every(({ httpStatus }) => httpStatus === undefined)
  );
}
