import type { Selector } from "../../shared/contract/price.ts";
import { countCharacters } from "./count-characters.ts";
import type { PriceModel, RuleModel } from "../ledger/money/price-model.ts";
import type { AppliedRule } from "./price-selection.ts";
import { readQuantity } from "./quantity.ts";
import { fromDecimal, larger, subtract, ZERO, type Rational } from "../../shared/rational.ts";
import { selectValue, type PricedValues } from "./selected-value.ts";

/**
 * Seconds may have fractions. Results, tokens, characters and images must be whole; a fraction means they were misread.
 */
export function allowsFractions(rule: RuleModel): boolean {
  return rule.type === "METERED" || (rule.type === "PER_UNIT" && rule.unit === "second");
}

/** True when some rule of a price counts units of this kind. */
export function countsUnitsOf(price: PriceModel, unit: Extract<RuleModel, { type: "PER_UNIT" }>["unit"]): boolean {
  switch (price.type) {
    case "BY_PERIOD":
      return false;
    case "PER_UNIT_MATRIX":
      return [price.default, ...price.variants.map((variant) => variant.price)].some((rule) => isOf(rule, unit));
    case "TIERED":
      return [price.default, ...price.tiers.map((tier) => tier.price)].some((rule) => isOf(rule, unit));
    default:
      return isOf(price, unit);
  }
}

function isOf(rule: RuleModel | undefined, unit: string): boolean {
  return rule?.type === "PER_UNIT" && rule.unit === unit;
}

/** True if a rule counts the value of its own selector instead of the quantity measured for the run. */
export function countsSelection(
  rule: AppliedRule,
): rule is AppliedRule & { readonly selector: Selector & { readonly offset?: number } } {
  return rule.selector !== undefined && (rule.price.type === "PER_RESULT" || rule.price.type === "PER_UNIT");
}

/**
 * The value of a tier's selector minus the included quantity. If the value is missing from the request, it is 0: the
 * caller did not ask for it. For prices per character, a text counts its characters. Undefined if the value is not a
 * quantity or is missing from the provider's answer: it is never guessed.
 */
export function readSelectedQuantity(
  rule: AppliedRule & { readonly selector: Selector & { readonly offset?: number } },
  values: PricedValues,
): Rational | undefined {
  const value = selectValue(rule.selector, values);
  if (rule.selector.in !== "output" && (value === undefined || value === null)) return ZERO;
  const counted = typeof value === "string" && isOf(rule.price, "character") ? countCharacters(value) : value;
  const quantity = readQuantity(counted, { fractions: allowsFractions(rule.price) });
  return quantity === undefined ? undefined : lessOffset(quantity, rule.selector.offset);
}

/** Counting starts above the offset. */
export function lessOffset(quantity: Rational, offset = 0): Rational {
  return larger(ZERO, subtract(quantity, fromDecimal(offset)));
}
