import { isUsed, type ScheduleState } from "../ledger/records/schedule-records.ts";
import type { DueTimes } from "./due-times.ts";

/** A due time is missed when its run could not begin within this time. docs/schedules.md, "Missed times". */
export const ON_TIME_MS = 60_000;
/** More missed ones are not counted: a schedule of every minute misses half a million a year. */
export const MOST_COUNTED = 100;

/** What a schedule is to do now. */
export type Plan =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "run" | "missed";
      readonly dueAt: string;
      /** The due time before it, when that one was decided last. */
      readonly after?: string;
      /** How many due times before it have no run; left out for none. */
      readonly missed?: number;
    };

const NOTHING: Plan = { kind: "nothing" };

/**
 * Decides about the last due time that has come; earlier ones are missed. It goes by the records alone, so that a restart, a
 * machine that slept and a clock that was set need no code of their own:
 *
 *   the last due time                         what is done
 *   is used, or decided already               nothing
 *   came at most a minute ago                 a run
 *   came earlier, missed: ONCE                a run, for this one and all before it
 *   came earlier, missed: SKIP                recorded as missed
 *   the clock was set back before the last    a run, if it came at most a minute ago: a due time that had its run before the
 *   decision                                  clock was set back is used
 */
export function planOccurrence(
  state: Pick<ScheduleState, "schedule" | "decidedUntil" | "used">,
  times: Pick<DueTimes, "last" | "next">,
  nowMs: number,
): Plan {
  const lastMs = times.last(nowMs);
  if (lastMs === undefined) return NOTHING;
  const dueAt = toIso(lastMs);
  if (isUsed(state, dueAt)) return NOTHING;
  const isOnTime = nowMs - lastMs <= ON_TIME_MS;
  const decidedMs = Date.parse(state.decidedUntil);
  if (decidedMs > nowMs) {
    // Clocks are also set by less than a second: then what is decided stays decided.
    const wasSetBack = decidedMs - nowMs > ON_TIME_MS;
    return wasSetBack && isOnTime ? { kind: "run", dueAt } : NOTHING;
  }
  if (lastMs <= decidedMs) return NOTHING;
  const before = missedBefore(state, times, { decidedMs, lastMs });
  return { kind: isOnTime || state.schedule.missed === "ONCE" ? "run" : "missed", dueAt, ...before };
}

function missedBefore(
  state: Pick<ScheduleState, "decidedUntil" | "used">,
  times: Pick<DueTimes, "next">,
  { decidedMs, lastMs }: { readonly decidedMs: number; readonly lastMs: number },
): { readonly after?: string; readonly missed?: number } {
  const first = times.next(decidedMs);
  if (first === lastMs) return { after: state.decidedUntil };
  let missed = 0;
  for (let due = first; due !== undefined && due < lastMs && missed < MOST_COUNTED; due = times.next(due)) {
    if (!isUsed(state, toIso(due))) missed += 1;
  }
  return missed === 0 ? {} : { missed };
}

export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
