import { describe, expect, test } from "vitest";
import { microDollars } from "../../shared/micro-dollars.ts";
import { calculateCharge, settle, type ChargeFacts } from "../../daemon/billing/charge.ts";
import type { ManifestPrice } from "../../daemon/manifest/manifest-price.ts";
import { applyMarkup, type Markup } from "../../daemon/billing/markup.ts";
import { leadfinderPrice } from "./worked-examples.ts";

interface Row {
  title: string;
  price: ManifestPrice;
  markup?: Markup;
  input?: ChargeFacts["input"];
  output?: unknown;
  count?: number;
  units?: number;
  elapsedMs?: number;
  costs: number;
}

const perToken = { type: "PER_UNIT", amount: 0.000_000_15, per: 1, unit: "token" } as const;

const rows: Row[] = [
  { title: "a forecast of Skywatch costs 2,000 µ$", price: { type: "PER_CALL", amount: 0.002 }, costs: 2_000 },
  {
    title: "three e-mails of Leadfinder, with 10 % on top, cost 77,000 µ$",
    price: leadfinderPrice,
    markup: { percent: 10 },
    input: { body: { title: "CTO", depth: "email", limit: 5 } },
    count: 3,
    costs: 77_000,
  },
  {
    title: "the same three e-mails cost 70,000 µ$ before markup",
    price: leadfinderPrice,
    input: { body: { title: "CTO", depth: "email", limit: 5 } },
    count: 3,
    costs: 70_000,
  },
  {
    title: "a Leadfinder search that finds nobody costs the flat fee",
    price: leadfinderPrice,
    input: { body: { title: "CTO", depth: "basic", limit: 5 } },
    count: 0,
    costs: 10_000,
  },
  {
    title: "five posts of Scrapeworks cost 16,500 µ$",
    price: { type: "PER_RESULT", amount: 0.0023, flatFee: 0.005 },
    count: 5,
    costs: 16_500,
  },
  {
    title: "the message and its fixed markup are one amount",
    price: { type: "PER_CALL", amount: 0.01 },
    markup: { percent: 50, fixed: 0.001 },
    costs: 16_000,
  },
  {
    title: "a fixed markup on results is charged once, not per result",
    price: { type: "PER_RESULT", amount: 0.001 },
    markup: { fixed: { value: 0.5, currency: "USD" } },
    count: 4,
    costs: 504_000,
  },
  { title: "free is free", price: { type: "FREE" }, markup: { percent: 10 }, costs: 0 },
  {
    title: "ninety seconds of a metered minute cost one and a half",
    price: { type: "METERED", amount: 0.06, per: { unit: "MINUTE", count: 1 } },
    elapsedMs: 90_000,
    costs: 90_000,
  },
  {
    title: "a metered millisecond is an exact share, rounded up to one micro-dollar",
    price: { type: "METERED", amount: 0.06, per: { unit: "MINUTE", count: 1 } },
    elapsedMs: 0.5,
    costs: 1,
  },
  {
    title: "a metered month is thirty days",
    price: { type: "METERED", amount: 30, per: { unit: "MONTH", count: 1 } },
    elapsedMs: 86_400_000,
    costs: 1_000_000,
  },
  { title: "a token may cost a fraction of a micro-dollar", price: perToken, units: 10, costs: 2 },
  { title: "a million tokens cost what the price list says", price: perToken, units: 1_000_000, costs: 150_000 },
  {
    title: "units are shared out exactly, not by the started thousand",
    price: { type: "PER_UNIT", amount: 0.01, per: 1_000, unit: "character" },
    units: 1_500,
    costs: 15_000,
  },
  {
    title: "seconds are billed by their fractions",
    price: { type: "PER_UNIT", amount: 0.006, per: 60, unit: "second" },
    units: 8.47,
    costs: 847,
  },
  {
    title: "prices that floating point gets wrong are exact: 1.005 dollars",
    price: { type: "PER_CALL", amount: 1.005 },
    costs: 1_005_000,
  },
  {
    title: "prices that floating point gets wrong are exact: three times 0.1 dollars",
    price: { type: "PER_RESULT", amount: 0.1 },
    count: 3,
    costs: 300_000,
  },
  {
    title: "the smallest price that can be written still costs one micro-dollar",
    price: { type: "PER_CALL", amount: 0.000_000_000_001 },
    costs: 1,
  },
  {
    title: "tiers are added to what is always billed, and rounded together",
    price: {
      type: "TIERED",
      default: { type: "PER_CALL", amount: 0.000_000_4 },
      tiers: [
        { label: "photos", when: { photos: true }, price: { type: "PER_CALL", amount: 0.000_000_4 } },
        { label: "reviews", when: { reviews: true }, price: { type: "PER_CALL", amount: 1 } },
      ],
      selectors: [
        { label: "Photos", key: "photos", in: "body" },
        { label: "Reviews", key: "reviews", in: "body" },
      ],
    },
    input: { body: { photos: true } },
    costs: 1,
  },
  {
    title: "a tier counts what its selector reads, above what is included",
    price: {
      type: "TIERED",
      default: { type: "PER_CALL", amount: 0.01 },
      tiers: [
        {
          label: "further points",
          selector: { label: "Points", key: "points", in: "body", offset: 2 },
          price: { type: "PER_UNIT", amount: 0.001, per: 1, unit: "image" },
        },
      ],
    },
    input: { body: { points: [1, 2, 3, 4, 5] } },
    costs: 13_000,
  },
  {
    title: "a tier whose quantity is below what is included adds nothing",
    price: {
      type: "TIERED",
      default: { type: "PER_CALL", amount: 0.01 },
      tiers: [
        {
          label: "further pages",
          selector: { label: "Pages", key: "options.pages", in: "queryParam", offset: 5 },
          price: { type: "PER_RESULT", amount: 0.001 },
        },
      ],
    },
    input: { queryParams: { options: { pages: 3 } } },
    costs: 10_000,
  },
  {
    title: "a matrix may be decided by the provider's answer",
    price: {
      type: "PER_UNIT_MATRIX",
      selectors: [{ label: "Model", key: "model", in: "output" }],
      variants: [{ when: { model: "large" }, price: { type: "PER_CALL", amount: 0.5 } }],
      default: { type: "PER_CALL", amount: 0.1 },
    },
    output: { model: "large" },
    costs: 500_000,
  },
];

test.each(rows)("$title", ({ price, markup, input = {}, output, count, units, elapsedMs = 0, costs }) => {
  const measured = { elapsedMs, ...(count !== undefined && { count }), ...(units !== undefined && { units }) };

  const charge = calculateCharge(applyMarkup(price, markup), { input, output, measured });

  expect(charge.calculatedMicroDollars).toBe(costs);
  expect(charge.notes).toEqual([]);
});

describe("what cannot be counted", () => {
  const perResult = applyMarkup({ type: "PER_RESULT", amount: 0.01, flatFee: 0.5 });

  test.each([undefined, -1, Number.NaN, 1.5, Infinity, -Infinity, 2 ** 53, "1", null])(
    "a count of %s charges the flat part only, and the run says so",
    (count) => {
      const measured = { elapsedMs: 0, count } as ChargeFacts["measured"];

      const charge = calculateCharge(perResult, { input: {}, measured });

      expect(charge).toEqual({
        calculatedMicroDollars: 500_000,
        notes: ["The number of results could not be read; only the flat part of the price was charged."],
        rules: [{ type: "PER_RESULT" }],
      });
    },
  );

  test("minus zero results are zero results", () => {
    const charge = calculateCharge(perResult, { input: {}, measured: { elapsedMs: 0, count: -0 } });

    expect(charge).toMatchObject({ calculatedMicroDollars: 500_000, billedUnits: 0, notes: [] });
  });

  test("half a token was misread: nothing is guessed", () => {
    const charge = calculateCharge(applyMarkup(perToken), { input: {}, measured: { elapsedMs: 0, units: 10.5 } });

    expect(charge.calculatedMicroDollars).toBe(0);
    expect(charge.notes).toEqual([
      "The number of tokens could not be read; only the flat part of the price was charged.",
    ]);
  });

  test("a run time that is no time charges nothing and says so", () => {
    const metered = applyMarkup({ type: "METERED", amount: 1, per: { unit: "MINUTE", count: 1 } });

    const charge = calculateCharge(metered, { input: {}, measured: { elapsedMs: Number.NaN } });

    expect(charge.calculatedMicroDollars).toBe(0);
    expect(charge.notes).toEqual(["The run time could not be read; only the flat part of the price was charged."]);
  });

  test("a quantity that the answer should tell and does not is named with its tier", () => {
    const tiered = applyMarkup({
      type: "TIERED",
      default: { type: "PER_CALL", amount: 0.01 },
      tiers: [
        {
          label: "pages read",
          selector: { label: "Pages", key: "meta.pages", in: "output" },
          price: { type: "PER_RESULT", amount: 0.001 },
        },
      ],
    });

    const charge = calculateCharge(tiered, { input: {}, output: { meta: {} }, measured: { elapsedMs: 0 } });

    expect(charge.calculatedMicroDollars).toBe(10_000);
    expect(charge.notes).toEqual([
      'The quantity output.meta.pages could not be read for "pages read"; only the flat part of the price was charged.',
    ]);
  });

  test("a cost beyond what a ledger can hold is never billed", () => {
    const dear = applyMarkup({ type: "PER_RESULT", amount: 1_000_000, flatFee: 2 });

    const charge = calculateCharge(dear, { input: {}, measured: { elapsedMs: 0, count: 2 ** 53 - 1 } });

    expect(charge.calculatedMicroDollars).toBe(2_000_000);
    expect(charge.notes).toEqual([
      "What was measured is more than can be billed; only the flat part of the price was charged.",
    ]);
  });

  test("a rent per period adds nothing to the charge of a run", () => {
    const rent = applyMarkup({ type: "BY_PERIOD", amount: 2, period: { unit: "MONTH", count: 1 } });

    const charge = calculateCharge(rent, { input: {}, measured: { elapsedMs: 0 } });

    expect(charge).toEqual({ calculatedMicroDollars: 0, notes: [], rules: [] });
  });
});

describe("the three costs", () => {
  const run = {
    success: true,
    calculated: microDollars(77_000),
    calculatedWithoutMarkup: microDollars(70_000),
    held: microDollars(121_000),
  } as const;

  test("Leadfinder's bill: 77,000 calculated and charged, 60,000 by the provider's own figure", () => {
    const bill = settle({ ...run, providerCostMicroDollars: 60_000 });

    expect(bill).toEqual({ calculated: 77_000, actual: 60_000, reported: 77_000 });
  });

  test("a provider that does not say what it took is taken to cost the price before markup", () => {
    const bill = settle(run);

    expect(bill).toEqual({ calculated: 77_000, actual: 70_000, reported: 77_000 });
  });

  test.each([Number.NaN, -1, 0.5, 2 ** 53])("a provider's own figure of %s counts as not said", (told) => {
    const bill = settle({ ...run, providerCostMicroDollars: told });

    expect(bill.actual).toBe(70_000);
  });

  test("a provider that says that it took nothing is taken at its word", () => {
    const bill = settle({ ...run, providerCostMicroDollars: 0 });

    expect(bill).toEqual({ calculated: 77_000, actual: 0, reported: 77_000 });
  });

  test("a cost of exactly the hold leaves nothing for the operator to bear", () => {
    const bill = settle({ ...run, held: microDollars(77_000) });

    expect(bill).toEqual({ calculated: 77_000, actual: 70_000, reported: 77_000 });
  });

  test("a provider error is not charged, and keeps its calculated cost", () => {
    const bill = settle({ ...run, success: false, calculated: microDollars(2_000), providerCostMicroDollars: 60_000 });

    expect(bill).toEqual({ calculated: 2_000, actual: 0, reported: 0 });
  });

  test("the caller pays no more than the hold; the operator bears the rest", () => {
    const bill = settle({ ...run, held: microDollars(50_000) });

    expect(bill).toEqual({ calculated: 77_000, actual: 70_000, reported: 50_000, overrunMicroDollars: 27_000 });
  });
});

test("the time of a metered run is no billed unit, and hides none of another rule", () => {
  const minutes = { type: "METERED", amount: 0.6, per: { unit: "MINUTE", count: 1 } } as const;
  const both = applyMarkup({
    type: "TIERED",
    default: minutes,
    tiers: [{ label: "results", price: { type: "PER_RESULT", amount: 0.001 } }],
  });
  const facts = { input: {}, output: {}, measured: { count: 3, elapsedMs: 1_000 } };

  expect(calculateCharge(applyMarkup(minutes), facts)).not.toHaveProperty("billedUnits");
  expect(calculateCharge(both, facts).billedUnits).toBe(3);
});

test("billed units are told when exactly one rule counts them", () => {
  const tiered = applyMarkup({
    type: "TIERED",
    default: { type: "PER_CALL", amount: 0.01 },
    tiers: [{ label: "results", price: { type: "PER_RESULT", amount: 0.001 } }],
  });

  const charge = calculateCharge(tiered, { input: {}, measured: { elapsedMs: 0, count: 7 } });

  expect(charge.billedUnits).toBe(7);
  expect(charge.rules).toEqual([{ type: "PER_CALL" }, { type: "PER_RESULT", label: "results", quantity: 7 }]);
});
