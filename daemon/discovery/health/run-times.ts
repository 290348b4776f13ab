import type { HealthSettings } from "../../../shared/contract/admin.ts";
import { HOUR_MS } from "./run-windows.ts";

/**
 * Pairs of the time at which a run completed, in milliseconds since the epoch, and its duration in milliseconds; the
 * newest last.
 */
export type RunTimes = readonly number[];

/** p50 and p95 are computed over at most this many runs, the latest. */
const MAX_TIMED_RUNS = 100;
const PAIR = 2;
const MINUTE_MS = 60_000;

export function withRunTime(times: RunTimes, at: number, runTimeMs: number): RunTimes {
  return [...times.slice(PAIR * (1 - MAX_TIMED_RUNS)), at, runTimeMs];
}

/** Of the freshest window with enough completed runs; undefined when there is none. docs/contract.md, "Health". */
export function percentilesOf(
  times: RunTimes,
  now: number,
  { freshMinutes, longDays, timedRuns }: HealthSettings,
): { p50: number; p95: number } | undefined {
  for (const windowMs of [freshMinutes * MINUTE_MS, longDays * 24 * HOUR_MS]) {
    const within = timesWithin(times, now, windowMs);
    if (within.length >= timedRuns) return { p50: percentile(within, 0.5), p95: percentile(within, 0.95) };
  }
  return undefined;
}

/** Ascending. */
function timesWithin(times: RunTimes, now: number, windowMs: number): Float64Array {
  const within = new Float64Array(times.length / PAIR);
  let count = 0;
  for (let place = 0; place < times.length; place += PAIR) {
    if (isWithin(times[place] ?? 0, now, windowMs)) within[count++] = times[place + 1] ?? 0;
  }
  return within.subarray(0, count).sort();
}

/** A time that lies further in the future than the window is long, because the clock was set back, is outside. */
export function isWithin(at: number, now: number, windowMs: number): boolean {
  return Math.abs(now - at) < windowMs;
}

/** The nearest rank: the smallest value that is at least as large as this share of all values. */
function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}
