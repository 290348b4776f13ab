import type { RunListItem } from "../../shared/contract/runs.ts";
import { exitCodeOfRun, exitCodes } from "../core/exit-codes.ts";

const failures: readonly number[] = [exitCodes.failed, exitCodes.providerError];

/** Whether a run brought no data because of its provider or on the way there: FAILED, TIMED_OUT, or answered an error. */
export function wentWrong(run: RunListItem): boolean {
  return run.status === "TIMED_OUT" || failures.includes(exitCodeOfRun(run));
}
