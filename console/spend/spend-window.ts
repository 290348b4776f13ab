import { type MicroDollars, microDollars } from "../../shared/micro-dollars.ts";
import { utcDay } from "../words/times.ts";

const DAY = 24 * 60 * 60 * 1_000;
const CENT = 10_000;

/** Whole UTC days, as `2026-11-23`: the first, and the last, which may be yet to come. */
export interface SpendWindow {
  readonly first: string;
  readonly last: string;
}

/** The month that it is now, UTC: what budgets and bills go by. */
export function thisMonth(now: number): SpendWindow {
  const today = new Date(now);
  const begin = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);
  return { first: utcDay(begin), last: utcDay(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 0)) };
}

export function lastDays(count: number, now: number): SpendWindow {
  return { first: utcDay(now - (count - 1) * DAY), last: utcDay(now) };
}

/** The window as `since` (at or after) and `until` (before) of the wire. */
export function boundsOf({ first, last }: SpendWindow) {
  return { since: `${first}T00:00:00Z`, until: `${utcDay(beginOf(last) + DAY)}T00:00:00Z` };
}

/** How many days the window has. */
export function lengthOf({ first, last }: SpendWindow): number {
  return Math.max(0, Math.round((beginOf(last) - beginOf(first)) / DAY) + 1);
}

/** Every day of the window. */
export function daysOf(window: SpendWindow): readonly string[] {
  return Array.from({ length: lengthOf(window) }, (_, index) => utcDay(beginOf(window.first) + index * DAY));
}

/** An amount with the digits that a guess has: cents, and below ten of them two digits. */
export function asGuess(micros: number): MicroDollars {
  return microDollars(micros < 100_000 ? Number(micros.toPrecision(2)) : Math.round(micros / CENT) * CENT);
}

/**
 * About what the whole window comes to at the pace so far: never less than was spent, however it is rounded. Undefined where nothing is to come, or too little has passed to tell a pace: less than a day.
 */
export function forecast(spent: MicroDollars, { first, last }: SpendWindow, now: number): MicroDollars | undefined {
  const [begin, end] = [beginOf(first), beginOf(last) + DAY];
  if (now - begin < DAY || now >= end) return undefined;
  const exact = Math.round((spent / (now - begin)) * (end - begin));
  return Number.isSafeInteger(exact) ? microDollars(Math.max(spent, asGuess(exact))) : undefined;
}

function beginOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
