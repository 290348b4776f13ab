import type { HealthSettings } from "../../../shared/contract/admin.ts";
import { HOUR_MS } from "./run-windows.ts";

/**
 * Pairs of the time at which a run completed, in milliseconds since the epoch, and its duration in milliseconds; the
 * newest last. There may be older ones than count.
 */
export type RunTimes = readonly number[];

/** p50 and p95 are computed over at most this many runs, the latest. */
const MAX_TIMED_RUNS = 100;
const PAIR = 2;
const MINUTE_MS = 60_000;

/** Adds to the list itself, which belongs to one endpoint: a copy for each run was the largest part of what health costs. */
export function addRunTime(times: number[], at: number, runTimeMs: number): void {
  times.push(at, runTimeMs);
  if (times.length >= 2 * PAIR * MAX_TIMED_RUNS) times.splice(0, times.length - PAIR * MAX_TIMED_RUNS);
}

/** Those that count. */
export function latestTimes(times: RunTimes): RunTimes {
  return times.slice(-PAIR * MAX_TIMED_RUNS);
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
  const begin = Math.max(0, times.length - PAIR * MAX_TIMED_RUNS);
  const within = new Float64Array((times.length - begin) / PAIR);
  let count = 0;
  for (let place = begin; place < times.length; place += PAIR) {
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
