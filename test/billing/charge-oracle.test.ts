import { expect, test } from "vitest";
import { calculateCharge } from "../../daemon/billing/charge.ts";
import { applyMarkup } from "../../daemon/billing/markup.ts";
import { ManifestPrice } from "../../daemon/manifest/manifest-price.ts";
import { reportTrial } from "../faults/trial.ts";
import { effort } from "../support/effort.ts";
import { oracleMicroDollars, type OracleCase } from "./oracle.ts";
import { Dice, drawCase } from "./random-cases.ts";

const CASES = effort(20_000, 100_000);
const SEED = 20_250_301;

type PriceFunction = (priced: OracleCase) => number;

/** The first drawn case on which a price function and the oracle disagree, or undefined. */
function findDisagreement(priceOf: PriceFunction, cases: number): object | undefined {
  for (let seed = SEED; seed < SEED + cases; seed++) {
    const priced = drawCase(new Dice(seed));
    const expected = oracleMicroDollars(priced);
    const actual = priceOf(priced);
    if (BigInt(actual) !== expected) return { seed, priced, expected, actual };
  }
  return undefined;
}

const chargeOf: PriceFunction = ({ price, markup, ...facts }) =>
  calculateCharge(applyMarkup(ManifestPrice.parse(price), markup), facts).calculatedMicroDollars;

test("random runs of every price type cost what exact arithmetic says, to the micro-dollar", (context) => {
  const disagreement = findDisagreement(chargeOf, CASES);

  expect(disagreement).toBeUndefined();
  reportTrial(context, { what: "random runs that cost what exact arithmetic says", tried: CASES, lost: 0 });
}, 120_000);

test("the random runs reach every price type, and every way of being charged", () => {
  const seen = new Map<string, number>();
  for (let seed = SEED; seed < SEED + 5_000; seed++) {
    const priced = drawCase(new Dice(seed));
    const charge = calculateCharge(applyMarkup(ManifestPrice.parse(priced.price), priced.markup), priced);
    const tags = [
      priced.price.type,
      charge.calculatedMicroDollars === 0 ? "costs nothing" : "costs something",
      charge.notes.length === 0 ? "all measured" : "not all measured",
      `${charge.rules.length > 2 ? "many" : charge.rules.length} rules`,
    ];
    for (const tag of tags) seen.set(tag, (seen.get(tag) ?? 0) + 1);
  }

  const rare = [
    "FREE",
    "PER_CALL",
    "PER_RESULT",
    "METERED",
    "PER_UNIT",
    "PER_UNIT_MATRIX",
    "TIERED",
    "costs nothing",
    "costs something",
    "all measured",
    "not all measured",
    "0 rules",
    "2 rules",
    "many rules",
  ].filter((tag) => (seen.get(tag) ?? 0) < 50);
  expect(rare).toEqual([]);
});

const wrongPrices: [title: string, wrong: PriceFunction][] = [
  [
    "adds the markup twice",
    (run) => chargeOf({ ...run, markup: { ...run.markup, percent: twice(run.markup.percent) } }),
  ],
  ["leaves the markup out", (run) => chargeOf({ ...run, markup: { ...run.markup, percent: 0 } })],
  ["rounds down", roundsDown],
  ["calculates in floating point", floatingPoint],
  ["rounds every tier on its own", roundsEachTier],
  [
    "forgets what is included in a tier",
    withTiers((tiers) => tiers.map(({ selector, ...tier }) => withoutOffset(tier, selector))),
  ],
  ["charges the first tier only", withTiers((tiers) => tiers.slice(0, 1))],
  ["takes the last variant that matches", lastVariant],
  ["believes a negative count", believesNegative],
];

test.each(wrongPrices)("a price function that %s is found out", (_, wrong) => {
  const disagreement = findDisagreement(wrong, CASES);

  expect(disagreement).toBeDefined();
});

function twice(percent: number): number {
  return Number((2 * percent + (percent * percent) / 100).toFixed(9));
}

function roundsDown(run: OracleCase): number {
  const right = chargeOf(run);
  const { price, measured, markup } = run;
  if (price.type !== "PER_UNIT" || markup.percent !== 0 || typeof price.amount !== "number") return right;
  if (!Number.isSafeInteger(measured.units) || (measured.units ?? -1) < 0) return right;
  return Math.floor(((measured.units ?? 0) / price.per) * price.amount * 1e6);
}

function floatingPoint(run: OracleCase): number {
  const right = chargeOf(run);
  const { price, measured, markup } = run;
  if (price.type !== "PER_RESULT" || markup.fixed !== undefined) return right;
  if (typeof price.amount !== "number" || price.flatFee !== undefined) return right;
  if (!Number.isSafeInteger(measured.count) || (measured.count ?? -1) < 0) return right;
  return Math.ceil((measured.count ?? 0) * price.amount * (1 + markup.percent / 100) * 1e6);
}

function roundsEachTier(run: OracleCase): number {
  const { price } = run;
  if (price.type !== "TIERED") return chargeOf(run);
  const parts = price.tiers.map((tier) => ({ ...price, default: { type: "FREE" as const }, tiers: [tier] }));
  return [{ ...price, tiers: [] }, ...parts].reduce((sum, part) => sum + chargeOf({ ...run, price: part }), 0);
}

type Tiered = Extract<OracleCase["price"], { type: "TIERED" }>;

function withTiers(change: (tiers: Tiered["tiers"]) => Tiered["tiers"]): PriceFunction {
  return (run) =>
    run.price.type === "TIERED"
      ? chargeOf({ ...run, price: { ...run.price, tiers: change(run.price.tiers) } })
      : chargeOf(run);
}

function withoutOffset(tier: Tiered["tiers"][number], selector: Tiered["tiers"][number]["selector"]) {
  return selector === undefined ? tier : { ...tier, selector: { ...selector, offset: 0 } };
}

function lastVariant(run: OracleCase): number {
  const { price } = run;
  if (price.type !== "PER_UNIT_MATRIX") return chargeOf(run);
  return chargeOf({ ...run, price: { ...price, variants: price.variants.toReversed() } });
}

function believesNegative(run: OracleCase): number {
  const count = run.measured.count;
  return chargeOf(count === -1 ? { ...run, measured: { ...run.measured, count: 1 } } : run);
}
