import { oncePer } from "../base/once-per.ts";
import type { RuleModel } from "../ledger/money/price-model.ts";
import {
  divide,
  fromDecimal,
  fromInteger,
  MAX_TEXT_DIGITS,
  multiply,
  ZERO,
  type Rational,
} from "../../shared/rational.ts";

/*
 * What one simple price costs, exactly:
 *
 *   type        flat      and for the quantity q
 *   PER_CALL    amount    -                    for each call, where a list has pages
 *   PER_RESULT  flatFee   q × amount           q: results
 *   PER_UNIT    -         q / per × amount     q: tokens, characters, seconds or images
 *   METERED     -         q / period × amount  q: milliseconds of run time, an exact share
 *
 * docs/contract.md, "Prices".
 */

/** Which quantity a type of price needs; undefined when it needs none. */
export type QuantityKind = "count" | "units" | "elapsed";

export function quantityKindOf(rule: RuleModel): QuantityKind | undefined {
  switch (rule.type) {
    case "PER_CALL":
      return undefined;
    case "PER_RESULT":
      return "count";
    case "PER_UNIT":
      return "units";
    case "METERED":
      return "elapsed";
  }
}

/**
 * The part that does not depend on any quantity. Only this is charged when the quantity is not known.
 * docs/manifest.md, "Unmeasured quantities".
 */
export const flatCost = oncePer((rule: RuleModel): Rational => {
  switch (rule.type) {
    case "PER_CALL":
      return dollars(rule.amount);
    case "PER_RESULT":
      return rule.flatFee === undefined ? ZERO : dollars(rule.flatFee);
    default:
      return ZERO;
  }
});

/** The same for a run of several calls: a price per call counts each of them, the flat fee is that of the run. */
export function flatCostOfCalls(rule: RuleModel, calls = 1): Rational {
  const flat = flatCost(rule);
  return rule.type === "PER_CALL" && calls !== 1 ? multiply(flat, fromInteger(calls)) : flat;
}

/** The part that grows with the quantity: dollars for `quantity` results, units or milliseconds. */
export function quantityCost(rule: RuleModel, quantity: Rational): Rational {
  switch (rule.type) {
    case "PER_CALL":
      return ZERO;
    case "PER_RESULT":
      return multiply(quantity, dollars(rule.amount));
    case "PER_UNIT":
      return multiply(divide(quantity, fromDecimal(rule.per)), dollars(rule.amount));
    case "METERED":
      return multiply(divide(quantity, fromInteger(periodMs(rule.per))), dollars(rule.amount));
  }
}

/** A month of run time is 30 days, always: a run's price must not depend on the calendar. */
const unitMs = { MINUTE: 60_000, DAY: 86_400_000, MONTH: 30 * 86_400_000 } as const;

function periodMs(period: { readonly unit: keyof typeof unitMs; readonly count: number }): bigint {
  return BigInt(unitMs[period.unit]) * BigInt(period.count);
}

function dollars(amount: string): Rational {
  return fromDecimal(amount, MAX_TEXT_DIGITS);
}
