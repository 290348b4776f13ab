import { type MicroDollars, NO_MONEY } from "../../shared/micro-dollars.ts";
import { describe, toMicroDollars, type ChargedRule } from "./charge.ts";
import { PriceError } from "./price-error.ts";
import type { PriceModel } from "../ledger/money/price-model.ts";
import { listPossibleRules, noRowMatches, type AppliedRule } from "./price-selection.ts";
import { readQuantity } from "./quantity.ts";
import { add, larger, smaller, ZERO, type Rational } from "../../shared/rational.ts";
import { flatCostOfCalls, quantityCost, quantityKindOf, type QuantityKind } from "./rule-cost.ts";
import { allowsFractions, countsSelection, lessOffset, readSelectedQuantity } from "./rule-quantity.ts";
import { selectorName, selectValue, type PricedValues } from "./selected-value.ts";

/** What is known of a run before the call. */
export interface EstimateFacts {
  /** Composite form, defaults filled in. */
  readonly input: PricedValues["input"];
  /** The manifest's `usage.estimate`, resolved for this input; NaN or absent if the input does not determine it. */
  readonly estimate: { readonly count?: number; readonly units?: number; readonly max?: number };
  /** The maximum that the caller pays for; the hold is computed with it instead of `estimate.max`. */
  readonly callerBound?: number;
  /** The longest that the run may take. */
  readonly deadlineMs: number;
  /** The most calls that it makes, for a list with pages; absent: one. */
  readonly calls?: number;
}

export interface Estimate {
  /** What the run is likely to cost; never above `maximum`. */
  readonly estimate: MicroDollars;
  /** The hold, and so the maximum charge: the price of `estimate.max` or `callerBound`, and of the deadline. */
  readonly maximum: MicroDollars;
  /** The rules behind `estimate`: the most expensive set of those that may apply. */
  readonly rules: readonly ChargedRule[];
}

/**
 * Prices a run before it starts. Rows and tiers that depend on the provider's answer count as the dearest
 * (docs/manifest.md, "Price coverage"); METERED counts the whole deadline ("Known maximum"). Throws PriceError (400) when the input
 * fits no row, when a quantity in it cannot be priced, or when the most that the run may cost is not known. A price per
 * period is the rent of what the run makes, which stands beside the price.
 */
export function estimateCost(model: PriceModel, facts: EstimateFacts): Estimate {
  if (model.type === "BY_PERIOD") return { estimate: NO_MONEY, maximum: NO_MONEY, rules: [] };
  const alternatives = listPossibleRules(model, facts);
  const [first, ...others] = alternatives.map((rules) => priceAlternative(rules, facts));
  if (first === undefined) throw noRowMatches(model, facts);

  const dearest = others.reduce(
    (best, next) => (larger(best.estimate, next.estimate) === best.estimate ? best : next),
    first,
  );
  const maximum = others.reduce((most, next) => larger(most, next.maximum), first.maximum);
  return {
    estimate: toMicroDollars(dearest.estimate),
    maximum: toMicroDollars(maximum),
    rules: dearest.rules,
  };
}

interface Alternative {
  readonly estimate: Rational;
  readonly maximum: Rational;
  readonly rules: readonly ChargedRule[];
}

/** The expected and the maximum quantity of one rule. */
interface Bounds {
  readonly expected: Rational;
  readonly most: Rational;
}

function priceAlternative(rules: readonly AppliedRule[], facts: EstimateFacts): Alternative {
  let estimate = ZERO;
  let maximum = ZERO;
  const described: ChargedRule[] = [];
  for (const rule of rules) {
    const bounds = boundsOf(rule, facts);
    const flat = flatCostOfCalls(rule.price, facts.calls);
    estimate = add(estimate, bounds === undefined ? flat : add(flat, quantityCost(rule.price, bounds.expected)));
    maximum = add(maximum, bounds === undefined ? flat : add(flat, quantityCost(rule.price, bounds.most)));
    described.push(describe(rule, bounds?.expected));
  }
  return { estimate, maximum, rules: described };
}

function boundsOf(rule: AppliedRule, facts: EstimateFacts): Bounds | undefined {
  const kind = quantityKindOf(rule.price);
  if (kind === undefined) return undefined;
  if (countsSelection(rule)) {
    return rule.selector.in === "output" ? answerBounds(rule, facts) : requestBounds(rule, facts);
  }
  if (kind === "elapsed") {
    const deadline = mostOf(facts.deadlineMs, "the deadline of the run is not known");
    return { expected: deadline, most: deadline };
  }
  const most = mostOf(mostTold(facts), maximumUnknown(kind));
  const said = readQuantity(facts.estimate[kind] ?? facts.estimate.max, { fractions: true });
  return { expected: said === undefined ? most : smaller(said, most), most };
}

/** The tier's quantity is in the provider's answer; `estimate.max` or `callerBound` limits it. */
function answerBounds(rule: AppliedRule & { selector: { offset?: number } }, facts: EstimateFacts): Bounds {
  const kind = rule.price.type === "PER_RESULT" ? "count" : "units";
  const most = lessOffset(mostOf(mostTold(facts), maximumUnknown(kind)), rule.selector.offset);
  const said = readQuantity(facts.estimate.max, { fractions: true });
  return { expected: said === undefined ? most : smaller(lessOffset(said, rule.selector.offset), most), most };
}

function mostTold({ callerBound, estimate }: EstimateFacts): number | undefined {
  return callerBound ?? estimate.max;
}

/** The tier's quantity is in the request, so it is known exactly. */
function requestBounds(rule: Parameters<typeof readSelectedQuantity>[0], facts: EstimateFacts): Bounds {
  const quantity = readSelectedQuantity(rule, facts);
  if (quantity !== undefined) return { expected: quantity, most: quantity };
  const value = JSON.stringify(selectValue(rule.selector, facts));
  const wanted = allowsFractions(rule.price) ? "a number" : "a whole number";
  throw new PriceError(
    `${selectorName(rule.selector)} must be ${wanted}, 0 or more, as the price counts it (got ${value})`,
  );
}

function mostOf(value: number | undefined, unknown: string): Rational {
  const quantity = readQuantity(value, { fractions: true });
  if (quantity === undefined) throw new PriceError(`The maximum cost of this run is not known: ${unknown}`);
  return quantity;
}

function maximumUnknown(kind: QuantityKind): string {
  const counted = kind === "count" ? "results" : "units";
  return (
    `the price counts ${counted}, and the input does not limit them. ` +
    "Give the input that limits them (inspect the endpoint: its usage.estimate.max reads it)"
  );
}
