import { ceilToMicroDollars, microDollars, type MicroDollars, NO_MONEY, subtract } from "../../shared/micro-dollars.ts";
import { PriceError } from "./price-error.ts";
import type { PriceModel, RuleModel } from "../ledger/money/price-model.ts";
import { oncePer } from "../base/once-per.ts";
import { findRules, type AppliedRule } from "./price-selection.ts";
import { readQuantity } from "./quantity.ts";
import { add, toNumber, ZERO, type Rational } from "../../shared/rational.ts";
import { flatCost, flatCostOfCalls, quantityCost, quantityKindOf, type QuantityKind } from "./rule-cost.ts";
import { allowsFractions, countsSelection, readSelectedQuantity } from "./rule-quantity.ts";
import { selectorName, type PricedValues } from "./selected-value.ts";

/** The facts that decide the price of a finished run. */
export interface ChargeFacts extends PricedValues {
  readonly measured: {
    /** Results; absent when not measured, NaN when unreadable. */
    readonly count?: number;
    /** Tokens, characters, seconds or images; absent when not measured, NaN when unreadable. */
    readonly units?: number;
    /** Calls, for a list with pages; absent: one. */
    readonly calls?: number;
    /** Run time in milliseconds. */
    readonly elapsedMs: number;
  };
}

/** One rule of the price as it was applied. */
export interface ChargedRule {
  readonly label?: string;
  readonly type: RuleModel["type"];
  /** Results, units, or milliseconds for METERED; absent for PER_CALL, and when it is not known. */
  readonly quantity?: number;
}

export interface Charge {
  /** The price rules applied to the measured quantities, as if the call had succeeded. Rounded up once. */
  readonly calculatedMicroDollars: MicroDollars;
  /** Results or units that were billed; absent when no rule, or more than one, counts them. */
  readonly billedUnits?: number;
  /** What could not be measured, for the run's `notes`. */
  readonly notes: readonly string[];
  readonly rules: readonly ChargedRule[];
}

/**
 * The calculated cost of a run: the exact sum of all rules that apply, rounded up to a whole micro-dollar once, at the
 * end. If a quantity is missing, negative or unreadable, only the flat part counts, and a note says so; a quantity is
 * never silently zero or invented. A price per period is the rent of what the run makes and is charged separately.
 * docs/manifest.md, "Unmeasured quantities" and "Exact amounts"; docs/contract.md, "Costs".
 */
export function calculateCharge(model: PriceModel, facts: ChargeFacts): Charge {
  if (model.type === "PER_CALL" && (facts.measured.calls ?? 1) === 1) return flatCharge(model);
  const rules = findRules(model, facts);
  if (rules === undefined) return uncharged("No row of the price matched the provider's answer; nothing was charged.");
  if (model.type === "BY_PERIOD") return { calculatedMicroDollars: NO_MONEY, notes: [], rules: [] };

  const parts = rules.map((rule) => measure(rule, facts));
  const flat = parts.reduce((sum, part) => add(sum, part.flat), ZERO);
  const whole = parts.reduce((sum, part) => add(sum, part.grown), flat);
  const notes = parts.flatMap(({ note }) => (note === undefined ? [] : [note]));
  const calculated = ceilToMicroDollars(whole);
  if (calculated > MAX_MICRO_DOLLARS) {
    return {
      calculatedMicroDollars: toMicroDollars(flat),
      notes: [...notes, "What was measured is more than can be billed; only the flat part of the price was charged."],
      rules: parts.map(({ rule }) => describe(rule)),
    };
  }
  const counted = parts.filter(({ rule, quantity }) => quantity !== undefined && rule.price.type !== "METERED");
  const billed = counted.length === 1 ? counted[0]?.quantity : undefined;
  return {
    calculatedMicroDollars: microDollars(Number(calculated)),
    ...(billed !== undefined && { billedUnits: toNumber(billed) }),
    notes,
    rules: parts.map(({ rule, quantity }) => describe(rule, quantity)),
  };
}

/** A price per call costs the same for every answer. */
const flatCharge = oncePer((price: RuleModel): Charge => ({
  calculatedMicroDollars: toMicroDollars(flatCost(price)),
  notes: [],
  rules: [describe({ price })],
}));

/** The three costs of a finished run. docs/contract.md, "Costs". */
export interface Bill {
  /** The price rules applied to what was measured, as if the call had succeeded. */
  readonly calculated: MicroDollars;
  /** What the provider charged. */
  readonly actual: MicroDollars;
  /** What the caller's wallet is debited. */
  readonly reported: MicroDollars;
  /** What a successful run cost above its hold; the operator bears it. */
  readonly overrunMicroDollars?: MicroDollars;
}

/**
 * From the calculated cost to the bill; all amounts in micro-dollars.
 *
 *   provider answered   calculated   actual                        reported
 *   2xx                 as is        its own figure, else the      as calculated, at most the hold; what is above
 *                                    cost without markup           it is the overrun, which the operator bears
 *   anything else       as is        0                             0
 *
 * docs/contract.md, "Costs" and "Charges"; docs/storage.md, "Runs and money on the disk".
 */
export function settle(run: {
  readonly success: boolean;
  readonly calculated: MicroDollars;
  /** The calculated cost at the price before markup. */
  readonly calculatedWithoutMarkup: MicroDollars;
  readonly held: MicroDollars;
  /** The charge that the provider reports; anything but an integer of 0 or more counts as absent. */
  readonly providerCostMicroDollars?: number;
}): Bill {
  const { calculated, held } = run;
  if (!run.success) return { calculated, actual: NO_MONEY, reported: NO_MONEY };

  const actual = isAmount(run.providerCostMicroDollars)
    ? microDollars(run.providerCostMicroDollars)
    : run.calculatedWithoutMarkup;
  if (calculated <= held) return { calculated, actual, reported: calculated };
  return { calculated, actual, reported: held, overrunMicroDollars: subtract(calculated, held) };
}

function isAmount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}

/** Dollars as micro-dollars, rounded up. Throws PriceError when they are beyond the safe range. */
export function toMicroDollars(dollars: Rational): MicroDollars {
  const amount = ceilToMicroDollars(dollars);
  if (amount > MAX_MICRO_DOLLARS) throw new PriceError(`a cost of ${amount} micro-dollars is more than can be billed`);
  return microDollars(Number(amount));
}

/** Describes a rule for `Charge.rules`. */
export function describe(rule: AppliedRule, quantity?: Rational): ChargedRule {
  return {
    ...(rule.label !== undefined && { label: rule.label }),
    type: rule.price.type,
    ...(quantity !== undefined && { quantity: toNumber(quantity) }),
  };
}

const MAX_MICRO_DOLLARS = BigInt(Number.MAX_SAFE_INTEGER);

interface Part {
  readonly rule: AppliedRule;
  readonly flat: Rational;
  readonly grown: Rational;
  readonly quantity?: Rational;
  readonly note?: string;
}

function measure(rule: AppliedRule, facts: ChargeFacts): Part {
  const flat = flatCostOfCalls(rule.price, facts.measured.calls);
  const kind = quantityKindOf(rule.price);
  if (kind === undefined) return { rule, flat, grown: ZERO };

  const quantity = countsSelection(rule)
    ? readSelectedQuantity(rule, facts)
    : readQuantity(measuredValue(kind, facts), { fractions: allowsFractions(rule.price) });
  if (quantity === undefined) return { rule, flat, grown: ZERO, note: notMeasured(rule, kind) };
  return { rule, flat, grown: quantityCost(rule.price, quantity), quantity };
}

function measuredValue(kind: QuantityKind, { measured }: ChargeFacts): number | undefined {
  switch (kind) {
    case "count":
      return measured.count;
    case "units":
      return measured.units;
    case "elapsed":
      return measured.elapsedMs;
  }
}

function notMeasured(rule: AppliedRule, kind: QuantityKind): string {
  const where = rule.label === undefined ? "" : ` for "${rule.label}"`;
  const what = countsSelection(rule)
    ? `The quantity ${selectorName(rule.selector)}`
    : { count: "The number of results", units: unitName(rule.price), elapsed: "The run time" }[kind];
  return `${what} could not be read${where}; only the flat part of the price was charged.`;
}

function unitName(rule: RuleModel): string {
  return rule.type === "PER_UNIT" ? `The number of ${rule.unit}s` : "The number of units";
}

function uncharged(note: string): Charge {
  return { calculatedMicroDollars: NO_MONEY, notes: [note], rules: [] };
}
