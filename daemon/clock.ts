/** The door to wall-clock time; tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** The time of a clock, but never more of it than this process has lived through since. */
export function unhurried(clock: Clock, processNow: () => number = () => performance.now()): Clock {
  const [startMs, processStartMs] = [clock.now(), processNow()];
  return { now: () => Math.min(clock.now(), startMs + processNow() - processStartMs) };
}
