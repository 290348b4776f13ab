import { z } from "zod";
import { IdempotentAnswer } from "../records/idempotency-record.ts";
import { RecordedWorkspaceId } from "../records/recorded-ids.ts";
import { RecordedEvents } from "../records/webhook-records.ts";
import { ScheduleActor, SchedulePause, ScheduleRecord } from "../records/schedule-records.ts";

const common = { v: z.literal(1), at: z.string(), ws: RecordedWorkspaceId, schedule: z.string() };

/*
 * What happens to a schedule itself. A run that it makes is in that run's own lines (`schedule` of its record): the due time is
 * used in the very line that accepts the run, so that after a crash both are there or neither is.
 */

export const ScheduleCreatedLine = z.object({
  t: z.literal("schedule.created"),
  ...common,
  definition: ScheduleRecord,
  actsAs: ScheduleActor,
  idem: IdempotentAnswer.exactOptional(),
});
/** With other times, it is due from now on. */
export const ScheduleChangedLine = z.object({
  t: z.literal("schedule.changed"),
  ...common,
  /** The whole of it, as it is now. */
  definition: ScheduleRecord,
  by: z.string(),
  /** From now on it acts as this key, and its failures are forgotten; absent when only its name changed. */
  actsAs: ScheduleActor.exactOptional(),
});
export const SchedulePausedLine = z.object({
  t: z.literal("schedule.paused"),
  ...common,
  pause: SchedulePause,
  /** The actor that asked for it; absent when the service paused it. */
  by: z.string().exactOptional(),
  events: RecordedEvents,
});
/** From now on it acts as whoever resumed it; its failures are forgotten. */
export const ScheduleResumedLine = z.object({ t: z.literal("schedule.resumed"), ...common, actsAs: ScheduleActor });
/** A due time without a run. */
export const ScheduleSkippedLine = z.object({
  t: z.literal("schedule.skipped"),
  ...common,
  dueAt: z.string(),
  after: z.string().exactOptional(),
  outcome: z.enum(["MISSED", "OVERLAP", "REFUSED"]),
  missed: z.int().exactOptional(),
  message: z.string().exactOptional(),
  failed: z.literal(true).exactOptional(),
});
export const ScheduleDeletedLine = z.object({ t: z.literal("schedule.deleted"), ...common, by: z.string() });

export const ScheduleLine = z.discriminatedUnion("t", [
  ScheduleCreatedLine,
  ScheduleChangedLine,
  SchedulePausedLine,
  ScheduleResumedLine,
  ScheduleSkippedLine,
  ScheduleDeletedLine,
]);
export type ScheduleLine = z.infer<typeof ScheduleLine>;
