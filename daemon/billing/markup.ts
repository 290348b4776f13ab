import {
  MAX_AMOUNT_DOLLARS,
  type ManifestMoney,
  type ManifestPrice,
  type ManifestRule,
} from "../manifest/manifest-price.ts";
import { PriceError } from "./price-error.ts";
import type { PriceModel, RuleModel } from "../ledger/money/price-model.ts";
import {
  add,
  compare,
  fromDecimal,
  fromInteger,
  multiply,
  toDecimalText,
  ZERO,
  type Rational,
} from "../../shared/rational.ts";

export interface Markup {
  readonly percent?: number | undefined;
  readonly fixed?: ManifestMoney | undefined;
}

/**
 * The price that callers see and pay: every amount × (1 + percent/100), exactly, and `fixed` once a run, on PER_CALL's
 * amount or PER_RESULT's flat fee. Without a markup it is the price before markup, which is what the operator bears.
 * FREE is PER_CALL with amount 0, markup included; a markup that makes it cost something is a price, so that what its
 * provider bills is no longer without one. Throws PriceError for `fixed` on any other type, and for an amount
 * that grows beyond what may be charged. docs/manifest.md, "Markup" and "Exact amounts".
 */
export function applyMarkup(price: ManifestPrice, markup: Markup = {}): PriceModel {
  const factor = add(fromInteger(1), multiply(fromDecimal(markup.percent ?? 0), { n: 1n, d: 100n }));
  const fixed = markup.fixed === undefined ? ZERO : dollarsOf(markup.fixed);
  switch (price.type) {
    case "FREE":
      return price.billedByVendor === true && fixed.n === 0n
        ? { type: "PER_CALL", amount: "0", billedByVendor: true }
        : applyToRule({ type: "FREE" }, factor, fixed);
    case "PER_CALL":
    case "PER_RESULT":
      return applyToRule(price, factor, fixed);
    default:
      if (fixed.n !== 0n) throw new PriceError(fixedMarkupRefused(price.type));
      return applyToStructure(price, factor);
  }
}

/** Why a fixed markup does not go with a type of price, and what to do. docs/manifest.md, "Markup". */
function fixedMarkupRefused(type: string): string {
  return (
    `markup.fixed is added once a run and only goes with PER_CALL, PER_RESULT and FREE, not with ${type}: ` +
    "use markup.percent, or put the fixed part into the price itself"
  );
}

function applyToStructure(
  price: Exclude<ManifestPrice, { type: "FREE" | "PER_CALL" | "PER_RESULT" }>,
  factor: Rational,
): PriceModel {
  switch (price.type) {
    case "METERED":
    case "PER_UNIT":
      return applyToRule(price, factor);
    case "BY_PERIOD":
      return { ...price, amount: amountText(price.amount, factor) };
    case "PER_UNIT_MATRIX":
      return {
        ...price,
        variants: price.variants.map((variant) => ({ ...variant, price: applyToRule(variant.price, factor) })),
        ...(price.default !== undefined && { default: applyToRule(price.default, factor) }),
      } as PriceModel;
    case "TIERED":
      return {
        ...price,
        default: applyToRule(price.default, factor),
        tiers: price.tiers.map((tier) => ({ ...tier, price: applyToRule(tier.price, factor) })),
      };
  }
}

function applyToRule(rule: ManifestRule, factor: Rational, fixed: Rational = ZERO): RuleModel {
  switch (rule.type) {
    case "FREE":
      return { type: "PER_CALL", amount: amountText(0, factor, fixed) };
    case "PER_CALL":
      return { type: "PER_CALL", amount: amountText(rule.amount, factor, fixed) };
    case "PER_RESULT":
      return {
        type: "PER_RESULT",
        amount: amountText(rule.amount, factor),
        ...((rule.flatFee !== undefined || fixed.n !== 0n) && {
          flatFee: amountText(rule.flatFee ?? 0, factor, fixed),
        }),
      };
    case "METERED":
    case "PER_UNIT":
      return { ...rule, amount: amountText(rule.amount, factor) };
  }
}

function amountText(money: ManifestMoney, factor: Rational, fixed: Rational = ZERO): string {
  const amount = add(multiply(dollarsOf(money), factor), fixed);
  if (compare(amount, fromInteger(MAX_AMOUNT_DOLLARS)) > 0) {
    throw new PriceError(
      `an amount with its markup is ${toDecimalText(amount)} dollars, above the maximum of ${MAX_AMOUNT_DOLLARS} for a price`,
    );
  }
  return toDecimalText(amount);
}

function dollarsOf(money: ManifestMoney): Rational {
  return fromDecimal(typeof money === "number" ? money : money.value);
}
