import { InvalidArgumentError } from "commander";
import type { SpendLimit } from "../../shared/contract/api-keys.ts";
import { parseAmount } from "../input/option-values.ts";

const PERIODS = ["HOUR", "DAY", "WEEK", "MONTH"] as const;

const SPANS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** `5/day`: dollars, and the window that they are for. */
export function parseSpendLimit(value: string): SpendLimit {
  const [, amount = "", word = ""] = /^([^/]*)\/([^/]*)$/.exec(value) ?? [];
  const period = PERIODS.find((known) => known === word.toUpperCase());
  if (period === undefined)
    throw new InvalidArgumentError("It must be dollars/hour, /day, /week or /month, such as 5/day.");
  return { amount: parseAmount(amount), period };
}

/** A time as it stands, which the service judges; or a span from now, such as 30d. */
export function parseExpiry(value: string): string {
  const [, count = "", unit = ""] = /^(\d{1,6})([mhdw])$/.exec(value) ?? [];
  const spanMs = SPANS_MS[unit];
  return spanMs === undefined ? value : new Date(Date.now() + Number(count) * spanMs).toISOString();
}
