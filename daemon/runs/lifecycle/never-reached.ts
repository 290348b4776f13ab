import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";

type Ended = Pick<RunRecord, "status" | "providerMayHaveCharged" | "job" | "attempts"> &
  Partial<Pick<RunRecord, "approval">>;

/**
 * True only if a run has ended and its request certainly never reached the provider, so that it cost nothing: it was
 * BLOCKED, or it FAILED or TIMED_OUT while it was queued for its provider, or before a byte of the request was written.
 * False in doubt (a crash during the call, a lost connection, any answer at all), for a STOPPED run, which ended as
 * requested, and for one that a person denied, which must not be asked for again by a mere repeat.
 */
export function neverReachedProvider(run: Ended): boolean {
  if (run.status === "BLOCKED") return run.approval?.decision?.kind !== "denied";
  if (!isTerminal(run) || run.status === "COMPLETED" || run.status === "STOPPED") return false;
  return (
    run.providerMayHaveCharged === undefined &&
    run.job === undefined &&
    run.attempts.every(({ httpStatus }) => httpStatus === undefined)
  );
}
