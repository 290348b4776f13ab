import { InvalidArgumentError } from "commander";
import type { SpendLimit } from "../../shared/contract/key-limits.ts";
import { findNearMisses } from "../../shared/near-misses.ts";
import { parseAmount } from "./option-values.ts";

const PERIODS = ["HOUR", "DAY", "WEEK", "MONTH"] as const;

/** `5/day`: dollars, and the window that they are for. */
export function parseSpendLimit(value: string): SpendLimit {
  const [, amount = "", word = ""] = /^([^/]*)\/([^/]*)$/.exec(value) ?? [];
  const period = PERIODS.find((known) => known === word.toUpperCase());
  if (period === undefined) {
    const near = findNearMisses(word, PERIODS).map((known) => `${amount}/${known.toLowerCase()}`);
    const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
    throw new InvalidArgumentError(`It must be dollars/hour, /day, /week or /month, such as 5/day.${meant}`);
  }
  return { amount: parseAmount(amount), period };
}
