/** Access to the wall clock; tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that the process has run; absent: as the system counts them. */
  runningMs?(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The last moment that was written, and its text: several things happen in each millisecond of a busy daemon. */
let written = { ms: NaN, iso: "" };

export function isoNow(clock: Clock): string {
  const ms = clock.now();
  if (ms !== written.ms) written = { ms, iso: new Date(ms).toISOString() };
  return written.iso;
}

/** How long the process has run, in milliseconds; setting the clock does not change it. */
export function runningMs(clock: Clock): number {
  return clock.runningMs?.() ?? performance.now();
}
