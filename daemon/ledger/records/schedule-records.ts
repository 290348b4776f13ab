import { z } from "zod";
import { RunInput } from "../../../shared/contract/runs.ts";
import { RecordedAmountFromZero } from "../money/recorded-amount.ts";
import { RecordedWorkspaceId } from "./recorded-ids.ts";
import { PERIODS } from "../money/spend-windows.ts";

/** Which due time of which schedule a run is for. There is one run at most for each due time. */
export const RunSchedule = z.object({
  scheduleId: z.string(),
  /** ISO 8601; absent for a run that somebody asked for besides the due times. */
  dueAt: z.string().exactOptional(),
  /** The due time right before this one, when that was the last one decided: nothing was left out in between. */
  after: z.string().exactOptional(),
  /** How many due times before this one had no run and have none now. */
  missed: z.int().exactOptional(),
});
export type RunSchedule = z.infer<typeof RunSchedule>;

/** The key that a schedule's runs are made with: the one that created, changed or resumed it last. */
export const ScheduleActor = z.object({ actor: z.string(), keyId: z.string() });
export type ScheduleActor = z.infer<typeof ScheduleActor>;

/** What somebody wants run at certain times. docs/contract.md, "Schedules". */
export const ScheduleRecord = z.object({
  scheduleId: z.string(),
  workspaceId: RecordedWorkspaceId,
  name: z.string().exactOptional(),
  cron: z.string(),
  timeZone: z.string(),
  provider: z.string(),
  endpoint: z.string(),
  /** Composite form. */
  input: RunInput,
  /** Dollars, as a run's `maxCost`. */
  maxCost: z.number().exactOptional(),
  maxPages: z.int().exactOptional(),
  /** Seconds. */
  maxAge: z.int().exactOptional(),
  allowUncertainRepeats: z.literal(true).exactOptional(),
  deadlineMs: z.int().exactOptional(),
  tags: z.record(z.string(), z.string()).exactOptional(),
  missed: z.enum(["SKIP", "ONCE"]),
  overlap: z.boolean(),
  /** What its runs may spend and hold in each window of the period. */
  budget: z.object({ limitMicroDollars: RecordedAmountFromZero, period: z.enum(PERIODS) }).exactOptional(),
  pauseAfterFailures: z.int(),
  createdAt: z.string(),
});
export type ScheduleRecord = z.infer<typeof ScheduleRecord>;

export const pauseReasons = ["ASKED", "FAILURES", "KEY", "RIGHTS", "TIMES"] as const;
/** Why a schedule makes no runs. */
export const SchedulePause = z.object({
  /** By a person; after failures; its key has ended; its key may not run this; its times cannot be computed any more. */
  reason: z.enum(pauseReasons),
  message: z.string(),
  at: z.string(),
});
export type SchedulePause = z.infer<typeof SchedulePause>;

export const occurrenceOutcomes = ["RUN", "MISSED", "OVERLAP", "REFUSED"] as const;

/** What became of a due time, or of a run that was asked for besides. */
export interface Occurrence {
  readonly at: string;
  readonly dueAt?: string;
  readonly outcome: (typeof occurrenceOutcomes)[number];
  readonly runId?: string;
  /** How many due times before it were missed as well. */
  readonly missed?: number;
  readonly message?: string;
  /** The status of its run when that has ended. */
  readonly runStatus?: string;
  /** It counts towards the failures after which the schedule is paused. */
  readonly failed?: true;
}

/** A schedule and all that its runs have made of it. Plain JSON; never changed in place. */
export interface ScheduleState {
  readonly schedule: ScheduleRecord;
  readonly actsAs: ScheduleActor;
  /** Absent: it is active. */
  readonly pause?: SchedulePause;
  /** Due times up to here are decided. It goes back when the clock was set back and a due time came then. */
  readonly decidedUntil: string;
  /** Due times from the first to the second, both included, are used; sorted by time. */
  readonly used: readonly (readonly [from: string, to: string])[];
  /** Failures since the last success. */
  readonly failures: number;
  readonly openRuns: readonly string[];
  /** The latest ones, newest last. */
  readonly occurrences: readonly Occurrence[];
  /** How often it was changed; absent: never. */
  readonly revision?: number;
  readonly updatedAt: string;
}

/** As it is when it was just created. */
export function newSchedule(schedule: ScheduleRecord, actsAs: ScheduleActor, at: string): ScheduleState {
  return {
    schedule,
    actsAs,
    decidedUntil: at,
    used: [],
    failures: 0,
    openRuns: [],
    occurrences: [],
    updatedAt: at,
  };
}

/** Whether a due time has been used, by a run or by the decision not to make one. */
export function isUsed({ used }: Pick<ScheduleState, "used">, dueAt: string): boolean {
  return used.some(([from, to]) => from <= dueAt && dueAt <= to);
}
