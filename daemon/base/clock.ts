/** Access to the wall clock; tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that the process has run; absent: as the system counts them. */
  runningMs?(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** How long the process has run, in milliseconds; setting the clock does not change it. */
export function runningMs(clock: Clock): number {
  return clock.runningMs?.() ?? performance.now();
}
