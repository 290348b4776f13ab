import { isTerminal, type RunRecord } from "../ledger/run-record.ts";

type Ended = Pick<RunRecord, "status" | "providerMayHaveCharged" | "job" | "attempts">;

/**
 * True only if a run has ended and its request certainly never reached the provider, so that it cost nothing: it was
 * BLOCKED, or it FAILED or TIMED_OUT while it was queued for its provider, or before a byte of the request was written.
 * False in doubt (a crash during the call, a lost connection, any answer at all), and for a STOPPED run, which ended as
 * requested.
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
