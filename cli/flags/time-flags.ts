import { InvalidArgumentError } from "commander";
import { didYouMean } from "../core/near-misses.ts";

/** What a flag for a time takes, as its help says it. */
export const pastTimeHelp = "such as 2h, 3d, yesterday or 2026-03-01";
export const futureTimeHelp = "such as 30d, tomorrow or 2027-01-01";

const spansMs: Readonly<Record<string, number>> = {
  s: 1000,
  sec: 1000,
  second: 1000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  w: 7 * 86_400_000,
  week: 7 * 86_400_000,
};

/** Midnights by name: the number of days from today. */
const namedDays: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/**
 * A time for `--since` and `--until`, as an instant in UTC; a span counts back from now. Throws for text that is no
 * time.
 */
export function parsePastTime(text: string): string {
  return readTime(text, -1, Date.now());
}

/**
 * A time for `--expires`, as an instant in UTC; a span counts from now. Throws for text that is no time, and for a past
 * time.
 */
export function parseFutureTime(text: string): string {
  const now = Date.now();
  const instant = readTime(text, 1, now);
  if (Date.parse(instant) > now) return instant;
  throw new InvalidArgumentError(`It must be in the future, ${futureTimeHelp}.`);
}

/**
 * A time for a window of spending, as an instant in it. Windows are in UTC, and so are days by their date or their
 * name.
 */
export function parseWindow(text: string): string {
  const wanted = text.trim().toLowerCase();
  if (wanted === "today") return parsePastTime("now");
  if (wanted === "yesterday") return parsePastTime("1d");
  return parsePastTime(/^\d{4}-\d\d-\d\d$/.test(wanted) ? `${wanted}T00:00Z` : wanted);
}

/**
 * `2h`, `3 min ago`, `2 hours`, `in 5 d`; `now`, `yesterday`, `today`, `tomorrow`; `2026-03-01`, `2026-03-01 09:30`,
 * `2026-03-01T09:30:00Z`, `2026-03-01 09:30 +01:00`. Days begin, and times without a zone are, where this machine is; a
 * time that the clocks skip is as much later, of one that comes twice the first is meant.
 */
function readTime(text: string, direction: 1 | -1, nowMs: number): string {
  const wanted = text.trim().toLowerCase();
  const ms = spanFromNow(wanted, direction, nowMs) ?? namedDay(wanted, nowMs) ?? writtenTime(wanted);
  if (ms !== undefined && ms >= EARLIEST && ms < LATEST) return new Date(ms).toISOString();
  throw new InvalidArgumentError(refusal(wanted, direction));
}

const [EARLIEST, LATEST] = [Date.UTC(1970, 0, 1), Date.UTC(10_000, 0, 1)];

function spanFromNow(text: string, direction: 1 | -1, nowMs: number): number | undefined {
  if (text === "now" || text === "just now") return nowMs;
  const [, ahead, count = "", unit = "", plural, ago] =
    /^(in )?(\d{1,6}) ?(sec|second|min|minute|hour|day|week|[smhdw])(s?)( ago)?$/.exec(text) ?? [];
  const spanMs = spansMs[unit];
  const isWord = unit.length > 1;
  if (spanMs === undefined || (plural && !isWord) || (ahead && ago)) return undefined;
  const sign = ahead ? 1 : ago ? -1 : direction;
  return nowMs + sign * Number(count) * spanMs;
}

function namedDay(text: string, nowMs: number): number | undefined {
  const days = Object.hasOwn(namedDays, text) ? namedDays[text] : undefined;
  if (days === undefined) return undefined;
  const now = new Date(nowMs);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).getTime();
}

function writtenTime(text: string): number | undefined {
  const [written, ...parts] = dateOrDateTime.exec(text) ?? [];
  if (written === undefined) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(0, 6).map((part) => Number(part ?? 0)) as TimeParts;
  const [fraction = "0", zone] = parts.slice(6);
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  const time: TimeParts = [year, month - 1, day, hour, minute, second];
  const asUtcMs = Date.UTC(...time) + milliseconds;
  // A date that overflows, such as the 30th of February, is not the time that was written.
  if (!new Date(asUtcMs).toISOString().startsWith(isoText(year, month, day, hour, minute, second))) return undefined;
  if (zone === undefined) return new Date(...time).getTime() + milliseconds;
  const east = zone === "z" || zone === "utc" ? 0 : minutesEast(zone);
  return east === undefined ? undefined : asUtcMs - east * 60_000;
}

const dateOrDateTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(z|utc|[+-]\d\d(?::?\d\d)?))?)?$/;

type TimeParts = [year: number, month: number, day: number, hour: number, minute: number, second: number];

function isoText(...[year, month, day, hour, minute, second]: TimeParts): string {
  const [date, time] = [
    [month, day],
    [hour, minute, second],
  ].map((numbers) => numbers.map((number) => String(number).padStart(2, "0")));
  return `${[String(year).padStart(4, "0"), ...(date ?? [])].join("-")}T${(time ?? []).join(":")}`;
}

function minutesEast(zone: string): number | undefined {
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

function refusal(text: string, direction: 1 | -1): string {
  const near = didYouMean(text, [...Object.keys(namedDays), "now"]);
  if (near !== "") return `It is not a time.${near}`;
  return direction < 0
    ? "It must be a time: 30m, 2h, 3d or 1w (ago), today, yesterday, 2026-03-01, or 2026-03-01T09:30 (with Z or +01:00 of another zone)."
    : "It must be a time: 2h, 30d or 4w (from now), tomorrow, 2027-01-01, or 2027-01-01T09:30 (with Z or +01:00 of another zone).";
}
