import { LruCache } from "../base/lru-cache.ts";

/** Farther than any zone is from UTC, with a change of the clocks in between. */
const AROUND_MS = 36 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
/** Offsets of days that are kept for each zone: two years, then they are found again. */
const MOST_DAYS = 800;

/** More zones than schedules use at a time: each clock takes memory for what it formats with and for two years of days. */
const MOST_CLOCKS = 100;
/** By name in small letters. Zones that are used are few, and all schedules of a zone ask about the same days. */
const clocks = new LruCache<string, WallClock>(MOST_CLOCKS);

/** Throws RangeError for a name that is no time zone. */
export function wallClockOf(timeZone: string): WallClock {
  // A name may be spelled in thousands of ways, and each clock takes memory for good.
  const name = timeZone.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return clocks.getOrMake(name, () => new WallClock(name));
}

/**
 * How the clocks of a time zone read, and which moments a reading names. Moments and readings are milliseconds since the
 * epoch; a reading is written as if it were UTC.
 */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;
  /** Number of the day in UTC → offset at its beginning. */
  readonly #days = new Map<number, number>();

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  }

  /** What is added to a moment to get its reading. */
  offsetAt(momentMs: number): number {
    const day = Math.floor(momentMs / DAY_MS);
    const [start, end] = [this.#offsetOfDay(day), this.#offsetOfDay(day + 1)];
    // Clocks change at most once a day.
    return start === end ? start : this.#readOffset(momentMs);
  }

  /**
   * The moments whose reading this is, oldest first: none where the clocks were set forth, two where they were set back.
   * `before` and `after` are the offsets around it, the same on nearly all days.
   */
  momentsOf(readingMs: number): {
    readonly moments: readonly number[];
    readonly before: number;
    readonly after: number;
  } {
    const before = this.offsetAt(readingMs - AROUND_MS);
    const after = this.offsetAt(readingMs + AROUND_MS);
    if (before === after) return { moments: [readingMs - before], before, after };
    const candidates = [readingMs - before, readingMs - after].toSorted((one, other) => one - other);
    return { moments: candidates.filter((moment) => moment + this.offsetAt(moment) === readingMs), before, after };
  }

  #offsetOfDay(day: number): number {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    if (this.#days.size >= MOST_DAYS) this.#days.clear();
    const offset = this.#readOffset(day * DAY_MS);
    this.#days.set(day, offset);
    return offset;
  }

  #readOffset(momentMs: number): number {
    const wholeSecondMs = Math.floor(momentMs / 1_000) * 1_000;
    // "11/22/2026, 23:05:09"
    const read = this.#format.format(wholeSecondMs).match(/\d+/g) ?? [];
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = read.map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSecondMs;
  }
}
