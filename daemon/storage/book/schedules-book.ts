import type { WorkspaceId } from "../../base/ids.ts";
import type { Guard } from "../../ledger/transaction/commit-errors.ts";
import type { RunLine } from "../../ledger/lines/run-lines.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import { isScheduleFailure, isScheduleSuccess } from "../../ledger/records/schedule-outcome.ts";
import type { ScheduleLine } from "../../ledger/lines/schedule-lines.ts";
import {
  newSchedule,
  isUsed,
  type Occurrence,
  type RunSchedule,
  type ScheduleState,
} from "../../ledger/records/schedule-records.ts";

/** Kept for each schedule, as its history; its runs are kept for ever, in the list of runs. */
const MOST_OCCURRENCES = 30;
/** A stretch of used due times ends where one was missed. Beyond this many the two oldest become one. */
const MOST_STRETCHES = 20;

/** Schedule id → schedule, in the order of creation. */
export interface SchedulesBook {
  readonly byId: Map<string, ScheduleState>;
}

export function emptySchedulesBook(): SchedulesBook {
  return { byId: new Map() };
}

export function listSchedules({ byId }: SchedulesBook, workspaceId: WorkspaceId): ScheduleState[] {
  return [...byId.values()].filter(({ schedule }) => schedule.workspaceId === workspaceId);
}

export function holdsOfSchedule(
  { byId }: SchedulesBook,
  { scheduleId, is, unused, idle, revision }: Extract<Guard, { kind: "schedule" }>,
): boolean {
  const state = byId.get(scheduleId);
  if (state === undefined) return false;
  if (is !== undefined && (state.pause === undefined) !== (is === "active")) return false;
  if (unused !== undefined && isUsed(state, unused)) return false;
  if (revision !== undefined && (state.revision ?? 0) !== revision) return false;
  return idle !== true || state.openRuns.length === 0;
}

export function applySchedule({ byId }: SchedulesBook, line: ScheduleLine): void {
  if (line.t === "schedule.created") byId.set(line.schedule, newSchedule(line.definition, line.actsAs, line.at));
  const before = byId.get(line.schedule);
  if (before === undefined) return;
  const { at } = line;
  switch (line.t) {
    case "schedule.changed":
      byId.set(line.schedule, changed(before, line));
      break;
    case "schedule.paused":
      byId.set(line.schedule, { ...before, pause: line.pause, updatedAt: at });
      break;
    case "schedule.resumed": {
      const { pause: _pause, ...active } = before;
      byId.set(line.schedule, { ...active, actsAs: line.actsAs, decidedUntil: at, failures: 0, updatedAt: at });
      break;
    }
    case "schedule.skipped": {
      const { dueAt, after, outcome, missed, message, failed } = line;
      const occurrence: Occurrence = {
        at,
        dueAt,
        outcome,
        ...(missed !== undefined && { missed }),
        ...(message !== undefined && { message }),
        ...(failed !== undefined && { failed }),
      };
      const noted = withOccurrence(before, occurrence);
      // What was missed has had no run: it may still have one, should the clock be set back.
      const decided = outcome === "MISSED" ? { ...noted, decidedUntil: dueAt } : withUsed(noted, { dueAt, after });
      byId.set(line.schedule, failed === true ? { ...decided, failures: decided.failures + 1 } : decided);
      break;
    }
    case "schedule.deleted":
      byId.delete(line.schedule);
      break;
    default:
      break;
  }
}

/** What a run changes of the schedule that made it. */
export function applyScheduledRun({ byId }: SchedulesBook, line: RunLine): void {
  if (line.t !== "run.accepted" && line.t !== "run.done") return;
  const of = line.rec.schedule;
  const state = of === undefined ? undefined : byId.get(of.scheduleId);
  if (of === undefined || state === undefined) return;
  if (line.t === "run.accepted") {
    const begun = withRun(state, of, line.rec);
    byId.set(of.scheduleId, { ...begun, openRuns: [...begun.openRuns, line.run] });
    return;
  }
  // A run that a control refused begins and ends in one line.
  const begun = state.openRuns.includes(line.run) ? state : withRun(state, of, line.rec);
  byId.set(of.scheduleId, withEnd(begun, of, line.rec));
}

/** What is used stays used, and what became of earlier due times stays in the history. */
function changed(
  before: ScheduleState,
  { at, definition, actsAs }: Extract<ScheduleLine, { t: "schedule.changed" }>,
): ScheduleState {
  const { cron, timeZone } = before.schedule;
  const isDueAnew = cron !== definition.cron || timeZone !== definition.timeZone;
  return {
    ...before,
    schedule: definition,
    ...(actsAs !== undefined && { actsAs, failures: 0 }),
    ...(isDueAnew && { decidedUntil: at }),
    revision: (before.revision ?? 0) + 1,
    updatedAt: at,
  };
}

function withRun(state: ScheduleState, of: RunSchedule, { runId, createdAt }: RunRecord): ScheduleState {
  const { dueAt, missed } = of;
  const noted = withOccurrence(state, {
    at: createdAt,
    ...(dueAt !== undefined && { dueAt }),
    outcome: "RUN",
    runId,
    ...(missed !== undefined && { missed }),
  });
  return dueAt === undefined ? noted : withUsed(noted, { dueAt, after: of.after });
}

/** Runs that were asked for besides the due times do not count: neither do they pause a schedule, nor keep it going. */
function withEnd(state: ScheduleState, { dueAt }: RunSchedule, run: RunRecord): ScheduleState {
  const failed = dueAt !== undefined && isScheduleFailure(run);
  const failures = failed ? state.failures + 1 : dueAt !== undefined && isScheduleSuccess(run) ? 0 : state.failures;
  return {
    ...state,
    failures,
    openRuns: state.openRuns.filter((runId) => runId !== run.runId),
    occurrences: state.occurrences.map((one) =>
      one.runId === run.runId ? { ...one, runStatus: run.status, ...(failed && { failed: true as const }) } : one,
    ),
  };
}

function withOccurrence(state: ScheduleState, occurrence: Occurrence): ScheduleState {
  return { ...state, occurrences: [...state.occurrences, occurrence].slice(-MOST_OCCURRENCES) };
}

function withUsed(
  state: ScheduleState,
  { dueAt, after }: { readonly dueAt: string; readonly after: string | undefined },
): ScheduleState {
  const grown = state.used.map(([from, to]) => [from, to === after ? dueAt : to] as const);
  const isGrown = after !== undefined && state.used.some(([, to]) => to === after);
  const used = isGrown ? grown : [...state.used, [dueAt, dueAt] as const];
  return { ...state, used: fewer(used.toSorted(([one], [other]) => (one < other ? -1 : 1))), decidedUntil: dueAt };
}

/** What lies between the two oldest is long past, and counts as used from then on: that makes no run twice. */
function fewer(used: ScheduleState["used"]): ScheduleState["used"] {
  const [first, second, ...rest] = used;
  if (used.length <= MOST_STRETCHES || first === undefined || second === undefined) return used;
  return [[first[0], second[1] > first[1] ? second[1] : first[1]], ...rest];
}
