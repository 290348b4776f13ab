import { displayNames } from "../tables/locales.ts";
import type { SlicedWork } from "../basics/slices.ts";

const DAY_MS = 86_400_000;
const MEAN_YEAR_DAYS = 365.2425;
/** From any day of a year or of its neighbours, the whole year is within this distance, including a leap month. */
const SEARCH_DAYS = 460;
const GUESSES = 40;
/** Shorter than the shortest Japanese era since the year 1000 (Ryakunin, 1238 to 1239, some 74 days). */
const ERA_PROBE_DAYS = 60;

/** The days that atlas converts; ICU computes its lunar calendars, which become unreliable far from the present. */
export const FIRST_DAY = "1000-01-01";
export const LAST_DAY = "2999-12-31";

/** A date in a calendar. */
export interface CalendarDate {
  readonly calendar: string;
  /** Absent in calendars that count years without an era. */
  readonly era?: string;
  readonly year: number;
  /** "3", "4bis" for the leap month after the fourth, or a name in calendars whose months have no fixed number. */
  readonly month: string;
  readonly monthName: string;
  readonly day: number;
}

/** The parts of a {@link CalendarDate} with which a person may name a day. */
export interface CalendarDateQuery {
  readonly era?: string | undefined;
  readonly year: number;
  readonly month: string;
  readonly day: number;
}

/** Calendars that ICU knows, by their Unicode identifiers, with English names. */
export function listCalendars(): { id: string; name: string }[] {
  const names = displayNames("en", "calendar");
  return Intl.supportedValuesOf("calendar").map((id) => ({ id, name: names.find(id) ?? id }));
}

/** Converts days to one calendar. */
export class CalendarWriter {
  private readonly digits: Intl.DateTimeFormat;
  private readonly monthNames: Intl.DateTimeFormat;

  constructor(readonly calendar: string) {
    const locale = `en-u-ca-${calendar}`;
    const numeric = { timeZone: "UTC", year: "numeric", month: "numeric", day: "numeric" } as const;
    // ISO 8601 has no eras; requesting one would change the format of its year.
    this.digits = new Intl.DateTimeFormat(locale, calendar === "iso8601" ? numeric : { ...numeric, era: "short" });
    this.monthNames = new Intl.DateTimeFormat(locale, { timeZone: "UTC", month: "long" });
  }

  /** `dayMs` is a UTC midnight. */
  write(dayMs: number): CalendarDate {
    const parts = new Map<string, string>(this.digits.formatToParts(dayMs).map((part) => [part.type, part.value]));
    const era = parts.get("era");
    return {
      calendar: this.calendar,
      ...(era === undefined ? {} : { era }),
      year: Number(parts.get("relatedYear") ?? parts.get("year")),
      month: (parts.get("month") ?? "").replace(/^(Mo|0)/, ""),
      monthName: this.monthNames.format(dayMs),
      day: Number(parts.get("day")),
    };
  }
}

/**
 * The days (UTC midnights, earliest first) that have the requested date in a calendar. Several are possible only
 * without an era in a calendar that restarts its years in each era; none when there is no such day.
 */
export function* findDays(calendar: string, wanted: CalendarDateQuery): SlicedWork<number[]> {
  const writer = new CalendarWriter(calendar);
  const firstMs = Date.parse(FIRST_DAY);
  const lastMs = Date.parse(LAST_DAY);
  const found: number[] = [];
  for (const guessMs of yield* guessYears(writer, wanted, firstMs, lastMs)) {
    const endMs = Math.min(lastMs, guessMs + SEARCH_DAYS * DAY_MS);
    for (let dayMs = Math.max(firstMs, guessMs - SEARCH_DAYS * DAY_MS); dayMs <= endMs; dayMs += DAY_MS) {
      if ((dayMs / DAY_MS) % 20 === 0) yield 0;
      if (matches(writer.write(dayMs), wanted)) found.push(dayMs);
    }
  }
  return [...new Set(found)].sort((a, b) => a - b);
}

/**
 * Days in the requested year or next to it: by Newton's method, which may end up oscillating around a short lunar year;
 * in the Japanese calendar by searching for the era.
 */
function* guessYears(
  writer: CalendarWriter,
  wanted: CalendarDateQuery,
  firstMs: number,
  lastMs: number,
): SlicedWork<number[]> {
  if (writer.calendar === "japanese") {
    const guesses: number[] = [];
    for (let dayMs = firstMs; dayMs <= lastMs; dayMs += ERA_PROBE_DAYS * DAY_MS) {
      yield 0;
      const date = writer.write(dayMs);
      // A year may have only a few days (Shōwa 64 had seven) and fall between two probes: its neighbours lead to it.
      if (Math.abs(date.year - wanted.year) <= 1 && eraMatches(date, wanted)) guesses.push(dayMs);
    }
    return guesses;
  }
  let dayMs = 0;
  for (let guess = 0; guess < GUESSES; guess += 1) {
    const years = signedYear(wanted.year, wanted.era) - signedYear(writer.write(dayMs).year, writer.write(dayMs).era);
    if (years === 0) break;
    const nextMs = dayMs + Math.round(years * MEAN_YEAR_DAYS) * DAY_MS;
    dayMs = Math.min(lastMs, Math.max(firstMs, nextMs));
    yield 0;
  }
  return [dayMs];
}

/** Years before an era count backwards: 1 B.R.O.C. is just before Minguo 1. */
function signedYear(year: number, era: string | undefined): number {
  return era !== undefined && /^b(\.|c|efore)/i.test(era) ? 1 - year : year;
}

function matches(date: CalendarDate, wanted: CalendarDateQuery): boolean {
  const month = wanted.month.trim().toLowerCase();
  return (
    date.day === wanted.day &&
    date.year === wanted.year &&
    (date.month.toLowerCase() === month || date.monthName.toLowerCase() === month) &&
    eraMatches(date, wanted)
  );
}

function eraMatches(date: CalendarDate, wanted: CalendarDateQuery): boolean {
  if (wanted.era === undefined) return true;
  const era = plain(date.era ?? "");
  return [era, era.replace(/ \(.*\)$/, "")].includes(plain(wanted.era));
}

/** Without diacritics and case: "Showa" matches ICU's "Shōwa"; "Ansei" matches "Ansei (1854–1860)". */
function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}
