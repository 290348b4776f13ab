import { ControlPeriod } from "../../../shared/contract/controls.ts";

/** The calendar periods of budgets and spend limits, in UTC; a week begins on Monday. docs/contract.md, "Windows". */
export const PERIODS = ControlPeriod.options;
export type SpendPeriod = ControlPeriod;

const DAY_MS = 86_400_000;

/** The windows of the hour that was asked about last. */
interface HourWindows {
  /** As a moment begins that lies in it: `2026-11-22T23:`. */
  readonly hour: string;
  readonly starts: Readonly<Record<SpendPeriod, string>>;
}

/** What `toISOString` writes for years of four digits. */
const PLAIN_LENGTH = "2026-11-22T23:00:00.000Z".length;
const HOUR_LENGTH = "2026-11-22T23:".length;
let latest: HourWindows | undefined;

/**
 * Beginning of the window that a moment lies in; both ISO 8601. All moments of an hour lie in the same windows, and runs ask
 * about the present one a dozen times each: its answers are kept.
 */
export function windowStart(period: SpendPeriod, at: string): string {
  if (at.length !== PLAIN_LENGTH || !at.endsWith("Z")) return findStart(period, at);
  if (latest === undefined || !at.startsWith(latest.hour)) {
    const starts = Object.fromEntries(PERIODS.map((one) => [one, findStart(one, at)]));
    latest = { hour: at.slice(0, HOUR_LENGTH), starts: starts as Record<SpendPeriod, string> };
  }
  return latest.starts[period];
}

function findStart(period: SpendPeriod, at: string): string {
  const time = new Date(at);
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  const midnightMs = Date.UTC(year, month, day);
  switch (period) {
    case "HOUR":
      return new Date(midnightMs + time.getUTCHours() * 3_600_000).toISOString();
    case "DAY":
      return new Date(midnightMs).toISOString();
    case "WEEK":
      return new Date(midnightMs - ((time.getUTCDay() + 6) % 7) * DAY_MS).toISOString();
    case "MONTH":
      return new Date(Date.UTC(year, month, 1)).toISOString();
  }
}

/** End of the window that begins at `start`, which is the beginning of the next one. */
export function windowEnd(period: SpendPeriod, start: string): string {
  const time = new Date(start);
  switch (period) {
    case "HOUR":
      return new Date(time.getTime() + 3_600_000).toISOString();
    case "DAY":
      return new Date(time.getTime() + DAY_MS).toISOString();
    case "WEEK":
      return new Date(time.getTime() + 7 * DAY_MS).toISOString();
    case "MONTH":
      return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 1)).toISOString();
  }
}
