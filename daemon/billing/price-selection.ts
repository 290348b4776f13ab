import type { Selector } from "../../shared/contract/price.ts";
import { PriceError } from "./price-error.ts";
import type { MatrixModel, PriceModel, RuleModel, TieredModel, TierModel } from "../ledger/money/price-model.ts";
import { equalsAsText, selectorName, selectValue, type PricedValues } from "./selected-value.ts";

/*
 * Which rules of a price apply.
 *
 *   price            rules
 *   simple           itself
 *   PER_UNIT_MATRIX  exactly one: the first variant whose `when` matches, else the default
 *   TIERED           the default, and every tier whose `when` matches
 *   BY_PERIOD        none: rent is charged with resources
 *
 * docs/contract.md, "Price selection".
 */

/**
 * A rule that applies. Its quantity is the value of its selector minus the offset, or without a selector the measured
 * one.
 */
export interface AppliedRule {
  readonly price: RuleModel;
  readonly label?: string;
  readonly selector?: TierModel["selector"] & {};
}

/** `unknown`: depends on an answer that has not come yet. */
type Match = "yes" | "no" | "unknown";

/**
 * The rules that apply to an input and its answer; undefined if no row of a matrix matches and there is no default. A
 * missing value matches nothing.
 */
export function findRules(model: PriceModel, values: PricedValues): readonly AppliedRule[] | undefined {
  return listPossibleRules(model, { ...values, output: values.output ?? null })[0];
}

/**
 * Every set of rules that may come to apply, of which one will: before the call the answer is not known, and selectors
 * that read it may pick any row (docs/manifest.md, "Price coverage"). Tiers that depend on it are all counted in. Empty when
 * no row of a matrix can match.
 */
export function listPossibleRules(model: PriceModel, values: PricedValues): readonly (readonly AppliedRule[])[] {
  switch (model.type) {
    case "PER_UNIT_MATRIX":
      return possibleVariants(model, values).map((rule) => [rule]);
    case "TIERED":
      return [[{ price: model.default }, ...possibleTiers(model, values)]];
    case "BY_PERIOD":
      return [[]];
    default:
      return [[{ price: model }]];
  }
}

/** What to answer when an input fits no row of a price matrix. */
export function noRowMatches(model: PriceModel, values: PricedValues): PriceError {
  const selectors = model.type === "PER_UNIT_MATRIX" ? model.selectors : [];
  const found = selectors.map((selector) => `${selectorName(selector)} = ${show(selectValue(selector, values))}`);
  const priced = model.type === "PER_UNIT_MATRIX" ? model.variants.map(({ when }) => show(when)) : [];
  return new PriceError(
    `No row of the price matches ${found.join(", ")}; this endpoint has prices for ${priced.slice(0, 20).join(", ")}`,
  );
}

function possibleVariants(model: MatrixModel, values: PricedValues): AppliedRule[] {
  const possible: AppliedRule[] = [];
  for (const { when, price, label } of model.variants) {
    const match = matches(when, model.selectors, values);
    if (match !== "no") possible.push({ price, ...(label !== undefined && { label }) });
    if (match === "yes") return possible;
  }
  return model.default === undefined ? possible : [...possible, { price: model.default }];
}

function possibleTiers(model: TieredModel, values: PricedValues): AppliedRule[] {
  return model.tiers
    .filter((tier) => matches(tier.when ?? {}, tierSelectors(model, tier), values) !== "no")
    .map(({ label, price, selector }) => ({ label, price, ...(selector !== undefined && { selector }) }));
}

/** A tier's `when` may name the price's selectors, and the tier's own. */
export function tierSelectors(
  model: { readonly selectors?: readonly Selector[] | undefined },
  tier: { readonly selector?: Selector | undefined },
): readonly Selector[] {
  return [...(model.selectors ?? []), ...(tier.selector === undefined ? [] : [tier.selector])];
}

function matches(
  when: Readonly<Record<string, string | number | boolean>>,
  selectors: readonly Selector[],
  values: PricedValues,
): Match {
  let result: Match = "yes";
  for (const [key, wanted] of Object.entries(when)) {
    const selector = selectors.find((candidate) => candidate.key === key);
    if (selector === undefined) return "no";
    if (selector.in === "output" && values.output === undefined) result = "unknown";
    else if (!equalsAsText(selectValue(selector, values), wanted)) return "no";
  }
  return result;
}

const MAX_SHOWN_CHARACTERS = 80;

function show(value: unknown): string {
  const text = value === undefined ? "(absent)" : JSON.stringify(value);
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
