import { expect, test } from "vitest";
import { calculateCharge } from "../../daemon/billing/charge.ts";
import { estimateCost } from "../../daemon/billing/estimate.ts";
import { ManifestPrice } from "../../daemon/manifest/manifest-price.ts";
import { applyMarkup } from "../../daemon/billing/markup.ts";
import { PriceError } from "../../daemon/billing/price-error.ts";
import { reportTrial } from "../faults/trial.ts";
import { effort } from "../support/effort.ts";
import { Dice, drawCase } from "./random-cases.ts";
import { leadfinderPrice } from "./worked-examples.ts";

const deadlineMs = 60_000;
const MOST_SEEDS = effort(5_000, 20_000);
const EXACT_SEEDS = effort(2_500, 10_000);

test("five e-mails of Leadfinder hold 121,000 µ$", () => {
  const model = applyMarkup(leadfinderPrice, { percent: 10 });
  const input = { body: { title: "CTO", depth: "email", limit: 5 } };

  const cost = estimateCost(model, { input, estimate: { count: 5, max: 5 }, deadlineMs });

  expect(cost).toEqual({
    estimate: 121_000,
    maximum: 121_000,
    rules: [{ label: "with e-mail", type: "PER_RESULT", quantity: 5 }],
  });
});

test("the estimate expects the count, the hold covers the most", () => {
  const model = applyMarkup({ type: "PER_RESULT", amount: 0.0023, flatFee: 0.005 });

  const cost = estimateCost(model, { input: {}, estimate: { count: 20, max: 500 }, deadlineMs });

  expect(cost).toMatchObject({ estimate: 51_000, maximum: 1_155_000 });
});

test.each([Number.NaN, -1, 1_000, undefined])(
  "an expected count of %s never takes the estimate above the hold",
  (count) => {
    const model = applyMarkup({ type: "PER_RESULT", amount: 0.01 });
    const estimate = { max: 10, ...(count !== undefined && { count }) };

    const cost = estimateCost(model, { input: {}, estimate, deadlineMs });

    expect(cost).toMatchObject({ estimate: 100_000, maximum: 100_000 });
  },
);

test("a metered run holds its whole deadline", () => {
  const model = applyMarkup({ type: "METERED", amount: 0.06, per: { unit: "MINUTE", count: 1 } });

  const cost = estimateCost(model, { input: {}, estimate: {}, deadlineMs: 300_000 });

  expect(cost.maximum).toBe(300_000);
});

test("a row that only the answer decides holds the dearest of those it may be", () => {
  const model = applyMarkup({
    type: "PER_UNIT_MATRIX",
    selectors: [
      { label: "Model", key: "model", in: "output" },
      { label: "Size", key: "size", in: "body" },
    ],
    variants: [
      { when: { model: "large", size: "big" }, label: "cannot be", price: { type: "PER_CALL", amount: 9 } },
      { when: { model: "large" }, label: "large", price: { type: "PER_CALL", amount: 0.5 } },
    ],
    default: { type: "PER_CALL", amount: 0.1 },
  });

  const cost = estimateCost(model, { input: { body: { size: "small" } }, estimate: {}, deadlineMs });

  expect(cost).toMatchObject({ estimate: 500_000, maximum: 500_000, rules: [{ label: "large" }] });
});

test("a row that the input decides is held alone, though others are dearer", () => {
  const model = applyMarkup({
    type: "PER_UNIT_MATRIX",
    selectors: [{ label: "Size", key: "size", in: "body" }],
    variants: [{ when: { size: "small" }, price: { type: "PER_CALL", amount: 0.1 } }],
    default: { type: "PER_CALL", amount: 9 },
  });

  const cost = estimateCost(model, { input: { body: { size: "small" } }, estimate: {}, deadlineMs });

  expect(cost.maximum).toBe(100_000);
});

test("tiers that only the answer decides are all held", () => {
  const model = applyMarkup({
    type: "TIERED",
    default: { type: "PER_CALL", amount: 0.01 },
    selectors: [{ label: "Cached", key: "cached", in: "output" }],
    tiers: [
      { label: "fresh", when: { cached: false }, price: { type: "PER_CALL", amount: 0.02 } },
      {
        label: "pages",
        selector: { label: "Pages", key: "pages", in: "output", offset: 1 },
        price: { type: "PER_RESULT", amount: 0.001 },
      },
    ],
  });

  const cost = estimateCost(model, { input: {}, estimate: { max: 11 }, deadlineMs });

  expect(cost.maximum).toBe(40_000);
});

test("an input that fits no row is refused, naming what was asked and what has a price", () => {
  const { default: _, ...withoutDefault } = leadfinderPrice as Extract<ManifestPrice, { type: "PER_UNIT_MATRIX" }>;
  const model = applyMarkup(withoutDefault);
  const estimate = () => estimateCost(model, { input: { body: { depth: "fax" } }, estimate: { max: 5 }, deadlineMs });

  expect(estimate).toThrow(
    new PriceError(
      'No row of the price matches body.depth = "fax"; this endpoint has prices for {"depth":"email"}, {"depth":"phone"}',
    ),
  );
});

test.each([undefined, Number.NaN, -1, Infinity])("a run whose most is %s is refused before it starts", (max) => {
  const model = applyMarkup({ type: "PER_UNIT", amount: 0.01, per: 1, unit: "token" });
  const estimate = () => estimateCost(model, { input: {}, estimate: max === undefined ? {} : { max }, deadlineMs });

  expect(estimate).toThrow(/maximum cost of this run is not known/);
  expect(estimate).toThrow(PriceError);
});

test("a quantity in the input that is no quantity is refused by name", () => {
  const model = applyMarkup({
    type: "TIERED",
    default: { type: "FREE" },
    tiers: [
      {
        label: "pages",
        selector: { label: "Pages", key: "pages", in: "body" },
        price: { type: "PER_RESULT", amount: 0.001 },
      },
    ],
  });
  const estimate = () => estimateCost(model, { input: { body: { pages: -5 } }, estimate: {}, deadlineMs });

  expect(estimate).toThrow("body.pages must be a whole number, 0 or more, as the price counts it (got -5)");
});

test("a hold beyond what a ledger can hold is refused", () => {
  const model = applyMarkup({ type: "PER_RESULT", amount: 1_000_000 });
  const estimate = () => estimateCost(model, { input: {}, estimate: { max: 2 ** 53 - 1 }, deadlineMs });

  expect(estimate).toThrow(/more than can be billed/);
});

test("a rent per period adds nothing to what a run is estimated at", () => {
  const model = applyMarkup({ type: "BY_PERIOD", amount: 2, period: { unit: "MONTH", count: 1 } });

  expect(estimateCost(model, { input: {}, estimate: {}, deadlineMs })).toEqual({ estimate: 0, maximum: 0, rules: [] });
});

test("no run whose quantities keep to the maximum costs more than was held", (context) => {
  const longest = 1_000_000;
  const broken: object[] = [];
  let priced = 0;
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const { price, markup, ...facts } = drawCase(new Dice(seed));
    const model = applyMarkup(ManifestPrice.parse(price), markup);
    const max = new Dice(seed).roll(2_000_000);
    const cost = tryEstimate(() =>
      estimateCost(model, { input: facts.input, estimate: { max, count: max / 2 }, deadlineMs: longest }),
    );
    if (cost === undefined || facts.measured.elapsedMs > longest || !keepsTo(max, facts.measured, facts.output))
      continue;
    priced++;

    const charge = calculateCharge(model, facts).calculatedMicroDollars;

    if (charge > cost.maximum || cost.estimate > cost.maximum) broken.push({ seed, charge, cost });
  }

  expect(broken).toEqual([]);
  expect(priced).toBeGreaterThan(MOST_SEEDS / 10);
  reportTrial(context, { what: "random runs that cost at most what was held", tried: priced, lost: 0 });
});

test("where nothing depends on the answer, what is held is exactly what the longest run costs", (context) => {
  const broken: object[] = [];
  let priced = 0;
  for (let seed = 1; seed <= EXACT_SEEDS; seed++) {
    const { price, markup, input } = drawCase(new Dice(seed));
    if (JSON.stringify(price).includes('"output"')) continue;
    const model = applyMarkup(ManifestPrice.parse(price), markup);
    const max = new Dice(seed).roll(2_000);
    const cost = tryEstimate(() => estimateCost(model, { input, estimate: { max }, deadlineMs }));
    if (cost === undefined) continue;
    priced++;

    const longest = { count: max, units: max, elapsedMs: deadlineMs };
    const charge = calculateCharge(model, { input, measured: longest }).calculatedMicroDollars;

    if (charge !== cost.maximum || charge !== cost.estimate) broken.push({ seed, charge, cost });
  }

  expect(broken).toEqual([]);
  expect(priced).toBeGreaterThan(EXACT_SEEDS / 5);
  reportTrial(context, { what: "random runs whose hold is exactly what the longest costs", tried: priced, lost: 0 });
});

function tryEstimate(estimate: () => ReturnType<typeof estimateCost>) {
  try {
    return estimate();
  } catch (error) {
    if (error instanceof PriceError) return undefined;
    throw error;
  }
}

/** True when everything that a price may count is at most `max`, or no quantity at all. */
function keepsTo(max: number, measured: { count?: number; units?: number }, output: unknown): boolean {
  const counted = [measured.count, measured.units, ...numbersIn(output)];
  return counted.every((value) => !((value ?? 0) > max && value !== Infinity));
}

function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (Array.isArray(value)) return [value.length];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}
