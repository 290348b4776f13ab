import { Cron } from "croner";
import { ApiError } from "../../shared/errors.ts";
import { errorText } from "../../shared/error-text.ts";
import { type WallClock, wallClockOf } from "./wall-clock.ts";

const HOUR_MS = 3_600_000;
/** A change of the clocks that is older than this moves no due time any more; the largest ones skip a day. */
const CHANGE_MS = 25 * HOUR_MS;
/** Where the last due time is looked for, in this order: the shortest stretch that has one is enough. */
const STRETCHES_MS = [60_000, HOUR_MS, 24 * HOUR_MS, 32 * 24 * HOUR_MS, 367 * 24 * HOUR_MS, 8 * 366 * 24 * HOUR_MS];

export interface Times {
  readonly cron: string;
  readonly timeZone: string;
}

/**
 * The moments at which a schedule is due: those at which the clocks of its time zone read what its pattern names.
 *
 *   the hour of the pattern   a reading that clocks skip       a reading that comes twice
 *   is named (`2`, `1-5`)     once, by as much later as they   once, the first time
 *                             were set forth
 *   is `*`                    not at all                       both times
 *
 * So what is wanted at a time of day comes once on each day, and what is wanted every so many minutes keeps its pace. Two
 * readings that fall on one moment are one due time. Source: docs/schedules.md, "When the clocks change".
 */
export class DueTimes {
  readonly #pattern: Cron;
  readonly #clock: WallClock;
  readonly #isEveryHour: boolean;

  /** Throws `ApiError`, a 400 with an example, for a pattern or a time zone that cannot be used. */
  constructor({ cron, timeZone }: Times) {
    this.#pattern = readPattern(cron);
    this.#clock = readTimeZone(timeZone);
    this.#isEveryHour = isEveryHour(cron);
  }

  /** The first due time after a moment; milliseconds since the epoch. Undefined: there is none any more. */
  next(afterMs: number): number | undefined {
    // What the clocks read when this moment was, or would have been, by any offset of these days: no later reading is past.
    const offsets = [afterMs - CHANGE_MS, afterMs, afterMs + CHANGE_MS].map((at) => this.#clock.offsetAt(at));
    let reading = afterMs + Math.min(...offsets);
    let best: number | undefined;
    for (;;) {
      const next = this.#pattern.nextRun(new Date(reading));
      if (next == null) return best;
      reading = next.getTime();
      const { moments, latestOffset } = this.#momentsOf(reading);
      // A later reading may be an earlier moment, but never by more than the clocks were set forth.
      if (best !== undefined && reading - latestOffset >= best) return best;
      for (const moment of moments) {
        if (moment > afterMs && (best === undefined || moment < best)) best = moment;
      }
      if (best !== undefined && reading - latestOffset >= best) return best;
    }
  }

  /** The last due time up to a moment, itself included; undefined when there is none within eight years. */
  last(untilMs: number): number | undefined {
    for (const stretchMs of STRETCHES_MS) {
      const first = this.next(untilMs - stretchMs);
      if (first !== undefined && first <= untilMs) return this.#lastFrom(first, untilMs);
    }
    return undefined;
  }

  /** The next due times, at most this many. */
  list(afterMs: number, count: number): number[] {
    const times: number[] = [];
    for (let due = this.next(afterMs); due !== undefined && times.length < count; due = this.next(due)) times.push(due);
    return times;
  }

  /** By steps that halve what is left: every minute of a month that is long past would hold up everybody else. */
  #lastFrom(first: number, untilMs: number): number {
    let last = first;
    // None is due from here to the end.
    let beyondMs = untilMs;
    for (let due = this.next(last); due !== undefined && due <= untilMs; due = this.next(last)) {
      last = due;
      const middleMs = last + Math.floor((beyondMs - last) / 2);
      const far = this.next(middleMs);
      if (far !== undefined && far <= untilMs) last = far;
      else beyondMs = middleMs;
    }
    return last;
  }

  #momentsOf(readingMs: number): { readonly moments: readonly number[]; readonly latestOffset: number } {
    const { moments, before, after } = this.#clock.momentsOf(readingMs);
    const latestOffset = Math.max(before, after);
    if (this.#isEveryHour) return { moments, latestOffset };
    const [first] = moments;
    return { moments: [first ?? readingMs - before], latestOffset };
  }
}

function readPattern(cron: string): Cron {
  let pattern: Cron;
  try {
    // In UTC every reading is a moment: croner finds readings, and the clock of the zone says when they are.
    pattern = new Cron(cron, { utcOffset: 0, mode: "5-or-6-parts", paused: true });
  } catch (error) {
    const reason = errorText(error).replace(/^CronPattern: /, "");
    throw new ApiError(
      "invalidInput",
      `cron: "${cron}" is not a pattern (${reason}); it takes minute, hour, day, month and weekday, such as "0 7 * * 1-5" for 07:00 on workdays`,
    );
  }
  if (pattern.nextRun(new Date()) != null) return pattern;
  throw new ApiError(
    "invalidInput",
    `cron: "${cron}" is never due: no day fits it. A pattern such as "0 7 1 * *" is due at 07:00 on the first of each month`,
  );
}

function readTimeZone(timeZone: string): WallClock {
  try {
    // An offset such as +01:00 is one that no change of the clocks follows, and so hardly ever meant.
    if (/^[A-Za-z]/.test(timeZone)) return wallClockOf(timeZone);
  } catch {
    // Reported below.
  }
  throw new ApiError(
    "invalidInput",
    `timeZone: "${timeZone}" is not the name of a time zone; it takes names such as Europe/Lisbon, America/New_York or UTC`,
  );
}

/** Whether the pattern leaves the hour open. With six fields, seconds come first. */
function isEveryHour(cron: string): boolean {
  if (cron.trim().startsWith("@")) return cron.trim().toLowerCase() === "@hourly";
  const fields = cron.trim().split(/\s+/);
  return fields.at(fields.length - 4) === "*";
}
