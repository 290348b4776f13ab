import type { RunRequest } from "../../shared/contract/runs.ts";
import type { ScheduleRecord } from "../ledger/records/schedule-records.ts";

/** The tag by which the runs of a schedule are found in lists, sums and exports. docs/contract.md, "Schedules". */
export const SCHEDULE_TAG = "schedule";

/** The request of each of its runs. */
export function requestOf(schedule: ScheduleRecord): RunRequest {
  const { provider, endpoint, input, maxCost, deadlineMs, tags, scheduleId } = schedule;
  const { maxPages, maxAge, allowUncertainRepeats } = schedule;
  return {
    provider,
    endpoint,
    input,
    ...(maxCost !== undefined && { maxCost: { value: maxCost, currency: "USD" as const } }),
    ...(maxPages !== undefined && { maxPages }),
    ...(maxAge !== undefined && { maxAge }),
    ...(allowUncertainRepeats !== undefined && { allowUncertainRepeats }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    tags: { ...tags, [SCHEDULE_TAG]: scheduleId },
  };
}
