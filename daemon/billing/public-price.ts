import type { Money } from "../../shared/contract/common.ts";
import type { PriceRule, PublicPrice, RunPrice, Selector } from "../../shared/contract/price.ts";
import type { PriceModel, RuleModel } from "../ledger/money/price-model.ts";
import { compare, fromDecimal, MAX_TEXT_DIGITS, type Rational } from "../../shared/rational.ts";

/**
 * A price as callers see it: markup applied, amounts in dollars as plain numbers. `amount` is always there: of a matrix
 * the lowest amount of its rows, of tiers the amount of what is always billed. Tiers always have `when` (the reference
 * client reads it), and the offset of a selector is never shown. docs/contract.md, "Prices" and "Price selection".
 */
export function toPublicPrice(model: PriceModel): PublicPrice {
  switch (model.type) {
    case "PER_UNIT_MATRIX":
      return {
        type: model.type,
        amount: money(representativeAmount(model)),
        selectors: model.selectors.map(publicSelector),
        variants: model.variants.map(({ when, price, label }) => ({
          when,
          price: toRule(price),
          ...(label !== undefined && { label }),
        })),
        ...(model.default !== undefined && { default: toRule(model.default) }),
      };
    case "TIERED":
      return {
        type: model.type,
        amount: money(representativeAmount(model)),
        default: toRule(model.default),
        tiers: model.tiers.map(({ label, when, selector, price }) => ({
          label,
          when: when ?? {},
          ...(selector !== undefined && { selector: publicSelector(selector) }),
          price: toRule(price),
        })),
        ...(model.selectors !== undefined && { selectors: model.selectors.map(publicSelector) }),
      };
    case "BY_PERIOD":
      return { type: model.type, amount: money(model.amount), period: model.period };
    case "PER_CALL":
      return { ...toRule(model), ...(model.billedByVendor === true && { billedByVendor: true }) };
    default:
      return toRule(model);
  }
}

/**
 * The flat price of run answers. What does not fit into `amount` stands in `detail`. docs/contract.md, "Price of a run".
 */
export function toRunPrice(model: PriceModel): RunPrice {
  return {
    type: model.type,
    amount: Number(representativeAmount(model)),
    currency: "USD",
    ...((model.type !== "PER_CALL" || model.billedByVendor === true) && { detail: toPublicPrice(model) }),
  };
}

/** The one amount, in dollars as exact decimal text, that stands for a price where only one can be shown. */
export function representativeAmount(model: PriceModel): string {
  switch (model.type) {
    case "PER_UNIT_MATRIX":
      return lowest([
        ...model.variants.map(({ price }) => price),
        ...(model.default === undefined ? [] : [model.default]),
      ]);
    case "TIERED":
      return model.default.amount;
    default:
      return model.amount;
  }
}

function lowest(rules: readonly RuleModel[]): string {
  const [first, ...others] = rules.map(({ amount }) => amount);
  return others.reduce((low, next) => (compare(exactAmount(next), exactAmount(low)) < 0 ? next : low), first ?? "0");
}

function exactAmount(amount: string): Rational {
  return fromDecimal(amount, MAX_TEXT_DIGITS);
}

function toRule(rule: RuleModel): PriceRule {
  switch (rule.type) {
    case "PER_CALL":
      return { type: rule.type, amount: money(rule.amount) };
    case "PER_RESULT":
      return {
        type: rule.type,
        amount: money(rule.amount),
        ...(rule.flatFee !== undefined && { flatFee: money(rule.flatFee) }),
      };
    case "METERED":
      return { type: rule.type, amount: money(rule.amount), per: rule.per };
    case "PER_UNIT":
      return { type: rule.type, amount: money(rule.amount), per: rule.per, unit: rule.unit };
  }
}

function publicSelector({ label, key, in: place }: Selector): Selector {
  return { label, key, in: place };
}

function money(amount: string): Money {
  return { value: Number(amount), currency: "USD" };
}
