/**
 * The outcomes of runs in constant memory, immutable: the latest few individually, and all of seven days as hourly
 * counts, so those days begin at a full hour.
 */
export interface RunWindows {
  /** At most `MAX_LATEST`, the newest last. */
  readonly latest: readonly RunOutcome[];
  /** When the last error ended, milliseconds since the epoch; 0: never. */
  readonly lastErrorAt: number;
  readonly hours: HourCounts;
}

export interface RunOutcome {
  /** When it ended, milliseconds since the epoch. */
  readonly at: number;
  readonly isError: boolean;
}

/** Triples of an hour since the epoch, the runs that ended in it and the errors among them; each hour once. */
export type HourCounts = Uint32Array;

export const HOUR_MS = 3_600_000;
/** The maximum that a setting may have. */
export const MAX_LATEST = 20;
export const MAX_LONG_DAYS = 7;
const MAX_HOURS = MAX_LONG_DAYS * 24;
const TRIPLE = 3;

export const NO_RUNS: RunWindows = { latest: [], lastErrorAt: 0, hours: new Uint32Array() };

export function withOutcome({ latest, lastErrorAt, hours }: RunWindows, outcome: RunOutcome): RunWindows {
  return {
    latest: [...latest.slice(1 - MAX_LATEST), outcome],
    lastErrorAt: outcome.isError ? Math.max(lastErrorAt, outcome.at) : lastErrorAt,
    hours: withHour(hours, Math.floor(outcome.at / HOUR_MS), outcome.isError),
  };
}

/**
 * Counts what ended within this many days before now; times in the future, after the clock was set back, do not count.
 */
export function countLong({ hours }: RunWindows, now: number, days: number): { runs: number; errors: number } {
  const newest = Math.floor(now / HOUR_MS);
  let [runs, errors] = [0, 0];
  for (let at = 0; at < hours.length; at += TRIPLE) {
    const hour = hours[at] ?? 0;
    if (hour <= newest - days * 24 || hour > newest) continue;
    runs += hours[at + 1] ?? 0;
    errors += hours[at + 2] ?? 0;
  }
  return { runs, errors };
}

/** True when none of its outcomes can count any more. */
export function isForgotten({ hours }: RunWindows, now: number): boolean {
  const newest = Math.floor(now / HOUR_MS);
  for (const [hour] of hoursOf(hours)) if (isKept(hour, newest)) return false;
  return true;
}

function withHour(hours: HourCounts, hour: number, isError: boolean): HourCounts {
  const counted = countedInPlace(hours, hour, isError);
  if (counted !== undefined) return counted;
  let isCounted = false;
  const counts: number[] = [];
  for (const [known, runs, errors] of hoursOf(hours)) {
    if (!isKept(known, hour)) continue;
    const here = known === hour;
    isCounted ||= here;
    counts.push(known, runs + Number(here), errors + Number(here && isError));
  }
  if (!isCounted) counts.push(hour, 1, Number(isError));
  return Uint32Array.from(counts);
}

/** Nearly every run: its hour is known, and no other is too old. Undefined for the rest. */
function countedInPlace(hours: HourCounts, hour: number, isError: boolean): HourCounts | undefined {
  let place = -1;
  for (let at = 0; at < hours.length; at += TRIPLE) {
    const known = hours[at] ?? 0;
    if (!isKept(known, hour)) return undefined;
    if (known === hour) place = at;
  }
  if (place < 0) return undefined;
  const counts = hours.slice();
  counts[place + 1] = (counts[place + 1] ?? 0) + 1;
  counts[place + 2] = (counts[place + 2] ?? 0) + Number(isError);
  return counts;
}

/** Bounded on both sides, so that setting the clock back and forth does not make the list grow. */
function isKept(hour: number, newest: number): boolean {
  return Math.abs(hour - newest) <= MAX_HOURS;
}

export function* hoursOf(hours: HourCounts): Generator<readonly [hour: number, runs: number, errors: number]> {
  for (let at = 0; at < hours.length; at += TRIPLE) {
    yield [hours[at] ?? 0, hours[at + 1] ?? 0, hours[at + 2] ?? 0];
  }
}
