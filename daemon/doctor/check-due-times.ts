import { endedAtOnce } from "../ledger/records/run-record.ts";
import { isUsed } from "../ledger/records/schedule-records.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import type { SchedulesBook } from "../storage/book/schedules-book.ts";

/** A due time that a line decides about: by a run, or by the reason why it has none. */
export interface DecidedTime {
  readonly scheduleId: string;
  /** ISO 8601. */
  readonly dueAt: string;
}

export function decidedTime(line: Line): DecidedTime | undefined {
  if (line.t === "schedule.skipped") return { scheduleId: line.schedule, dueAt: line.dueAt };
  const beginsRun = line.t === "run.accepted" || (line.t === "run.done" && endedAtOnce(line.rec));
  if (!beginsRun || line.rec.schedule?.dueAt === undefined) return undefined;
  const { scheduleId, dueAt } = line.rec.schedule;
  return { scheduleId, dueAt };
}

/** Whether an earlier line used it. `schedules` is what they made. Times of a schedule that was deleted are not known. */
export function wasUsed({ byId }: SchedulesBook, { scheduleId, dueAt }: DecidedTime): boolean {
  const state = byId.get(scheduleId);
  return state !== undefined && isUsed(state, dueAt);
}
