import type { WorkspaceId } from "../../base/ids.ts";
import type { ScheduleState } from "../records/schedule-records.ts";

/** What schedules need to read; only what is durable. Writes go through `commit(transaction)`. */
export interface ScheduleStore {
  /** One of another workspace is not found. */
  findSchedule(workspaceId: WorkspaceId, scheduleId: string): Promise<ScheduleState | undefined>;
  /** In the order of creation; deleted ones are gone. */
  listSchedules(workspaceId: WorkspaceId): Promise<readonly ScheduleState[]>;
  /** Those of all workspaces. */
  listAllSchedules(): Promise<readonly ScheduleState[]>;
}
