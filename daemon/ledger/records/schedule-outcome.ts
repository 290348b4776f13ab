import type { RunRecord } from "./run-record.ts";

type Ended = Pick<RunRecord, "status" | "providerResponse">;

/** Success is a 2xx of the provider and nothing else. docs/contract.md, "End of a run". */
export function isScheduleSuccess({ status, providerResponse }: Ended): boolean {
  const httpStatus = providerResponse?.httpStatus ?? 0;
  return status === "COMPLETED" && httpStatus >= 200 && httpStatus < 300;
}

/**
 * Whether a run counts towards the failures that pause its schedule. A BLOCKED run met a limit that ends by itself, and a
 * STOPPED one a person: both count neither as a failure nor as a success. docs/contract.md, "Failures of a schedule".
 */
export function isScheduleFailure(run: Ended): boolean {
  return run.status !== "BLOCKED" && run.status !== "STOPPED" && !isScheduleSuccess(run);
}
