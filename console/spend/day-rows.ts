import type { UsageItem } from "../../shared/contract/usage.ts";
import { type MicroDollars, microDollars, sum } from "../../shared/micro-dollars.ts";
import { toMicros } from "../words/amounts.ts";
import { utcDay } from "../words/times.ts";

const DAY = 24 * 60 * 60 * 1_000;

/** A bar of the chart, and a row of the table behind it. */
export interface DayRow {
  /** UTC, as `2026-11-23`. */
  readonly day: string;
  readonly runs: number;
  readonly charged: MicroDollars;
  /** What the whole day comes to at the pace so far; absent for days that are over. */
  readonly expected?: MicroDollars;
}

/**
 * The days, with what was charged on each and, from today on, what is expected: what is missing to `expectedInAll` spread
 * over the time that is left. Pure.
 */
export function dayRows(
  days: readonly string[],
  items: readonly UsageItem[],
  expectedInAll: MicroDollars | undefined,
  now: number,
): readonly DayRow[] {
  const byDay = new Map(items.map((item) => [item.group, item]));
  const rows = days.map((day): DayRow => {
    const item = byDay.get(day);
    return { day, runs: item?.runs ?? 0, charged: toMicros(item?.charged ?? 0) };
  });
  const last = days.at(-1);
  if (expectedInAll === undefined || last === undefined) return rows;
  const end = Date.parse(`${last}T00:00:00Z`) + DAY;
  const missing = Math.max(0, expectedInAll - sum(rows.map(({ charged }) => charged)));
  const today = utcDay(now);
  return rows.map((row) => {
    if (row.day < today) return row;
    const begin = Date.parse(`${row.day}T00:00:00Z`);
    const left = (begin + DAY - Math.max(begin, now)) / (end - now);
    return { ...row, expected: microDollars(row.charged + Math.round(missing * left)) };
  });
}
