import { expect, test } from "vitest";
import { ManifestMarkup, ManifestPrice } from "../../daemon/manifest/manifest-price.ts";
import { applyMarkup } from "../../daemon/billing/markup.ts";
import { PriceError } from "../../daemon/billing/price-error.ts";
import { PriceModel } from "../../daemon/ledger/money/price-model.ts";
import { leadfinderPrice } from "./worked-examples.ts";

test("without a markup the amounts are those of the file, as exact text", () => {
  const model = applyMarkup({ type: "PER_RESULT", amount: 1e-7, flatFee: { value: 0.01, currency: "USD" } });

  expect(model).toEqual({ type: "PER_RESULT", amount: "0.0000001", flatFee: "0.01" });
});

test("free is a call that costs nothing", () => {
  expect(applyMarkup({ type: "FREE" }, { percent: 10 })).toEqual({ type: "PER_CALL", amount: "0" });
});

test("a call that the vendor bills is free only while nothing is added to it", () => {
  const byVendor = { type: "FREE", billedByVendor: true } as const;

  expect(applyMarkup(byVendor)).toEqual({ type: "PER_CALL", amount: "0", billedByVendor: true });
  expect(applyMarkup(byVendor, { fixed: 0.001 })).toEqual({ type: "PER_CALL", amount: "0.001" });
});

test("a fixed markup is charged on free calls too, as the file asks for it", () => {
  expect(applyMarkup({ type: "FREE" }, { fixed: 0.001 })).toEqual({ type: "PER_CALL", amount: "0.001" });
});

test("a percentage is applied exactly, however many digits it gives", () => {
  const model = applyMarkup({ type: "PER_CALL", amount: 0.000_000_000_001 }, { percent: 7.25 });

  expect(model).toEqual({ type: "PER_CALL", amount: "0.0000000000010725" });
});

test("the percentage comes first, the fixed part after it", () => {
  expect(applyMarkup({ type: "PER_CALL", amount: 1 }, { percent: 10, fixed: 0.5 })).toEqual({
    type: "PER_CALL",
    amount: "1.6",
  });
});

test("a fixed markup on results becomes a flat fee", () => {
  expect(applyMarkup({ type: "PER_RESULT", amount: 1 }, { percent: 10, fixed: 0.5 })).toEqual({
    type: "PER_RESULT",
    amount: "1.1",
    flatFee: "0.5",
  });
});

test("every row of a matrix carries the markup", () => {
  const model = applyMarkup(leadfinderPrice, { percent: 10 });

  expect(model).toMatchObject({
    variants: [{ price: { amount: "0.022", flatFee: "0.011" } }, { price: { amount: "0.11", flatFee: "0.011" } }],
    default: { amount: "0.0044", flatFee: "0.011" },
  });
});

test("tiers and what is always billed carry the markup, the offset stays", () => {
  const selector = { label: "Pages", key: "pages", in: "body", offset: 3 } as const;
  const model = applyMarkup(
    {
      type: "TIERED",
      default: { type: "FREE" },
      tiers: [{ label: "pages", selector, price: { type: "PER_UNIT", amount: 0.1, per: 10, unit: "image" } }],
    },
    { percent: 50 },
  );

  expect(model).toEqual({
    type: "TIERED",
    default: { type: "PER_CALL", amount: "0" },
    tiers: [{ label: "pages", selector, price: { type: "PER_UNIT", amount: "0.15", per: 10, unit: "image" } }],
  });
});

const rest: [title: string, price: ManifestPrice][] = [
  ["METERED", { type: "METERED", amount: 1, per: { unit: "DAY", count: 1 } }],
  ["PER_UNIT", { type: "PER_UNIT", amount: 1, per: 1, unit: "token" }],
  ["PER_UNIT_MATRIX", leadfinderPrice],
  ["TIERED", { type: "TIERED", default: { type: "FREE" }, tiers: [] }],
  ["BY_PERIOD", { type: "BY_PERIOD", amount: 1, period: { unit: "MONTH", count: 1 } }],
];

test.each(rest)("a fixed markup on %s is refused, with what to do", (type, price) => {
  expect(() => applyMarkup(price, { fixed: 0.01 })).toThrow(PriceError);
  expect(() => applyMarkup(price, { fixed: 0.01 })).toThrow(`not with ${type}: use markup.percent`);
});

test.each(rest)("a fixed markup of nothing on %s is no markup", (_, price) => {
  expect(applyMarkup(price, { fixed: 0 })).toEqual(applyMarkup(price));
});

test("an amount that the markup takes to exactly a million dollars is taken", () => {
  const model = applyMarkup({ type: "PER_CALL", amount: 500_000 }, { percent: 100 });

  expect(model).toEqual({ type: "PER_CALL", amount: "1000000" });
});

test("an amount that the markup takes beyond a million dollars is refused", () => {
  expect(() => applyMarkup({ type: "PER_CALL", amount: 900_000 }, { percent: 50 })).toThrow(
    /1350000 dollars, above the maximum/,
  );
});

test.each(rest)("%s is plain data: it survives the journal unchanged", (_, price) => {
  const model = applyMarkup(price, { percent: 12.5 });

  expect(PriceModel.parse(JSON.parse(JSON.stringify(model)))).toEqual(model);
});

test.each([
  ["a negative amount", { type: "PER_CALL", amount: -1 }],
  ["an amount that is no number", { type: "PER_CALL", amount: Number.NaN }],
  ["an endless amount", { type: "PER_CALL", amount: Infinity }],
  ["an amount in quotes", { type: "PER_CALL", amount: "1" }],
  ["an amount of more than a million dollars", { type: "PER_CALL", amount: 2 ** 53 }],
  ["more than 12 digits after the point", { type: "PER_CALL", amount: 1e-13 }],
  ["another currency", { type: "PER_CALL", amount: { value: 1, currency: "EUR" } }],
  ["a misspelled key", { type: "PER_CALL", amount: 1, amuont: 2 }],
  ["a unit per nothing", { type: "PER_UNIT", amount: 1, per: 0, unit: "token" }],
  ["an unknown unit", { type: "PER_UNIT", amount: 1, per: 1, unit: "word" }],
  ["half a period", { type: "METERED", amount: 1, per: { unit: "MINUTE", count: 0.5 } }],
  ["an unknown type", { type: "PER_MOON", amount: 1 }],
  ["a matrix in a matrix", { ...leadfinderPrice, default: leadfinderPrice }],
  [
    "a negative offset",
    {
      type: "TIERED",
      default: { type: "FREE" },
      tiers: [
        {
          label: "x",
          selector: { label: "x", key: "x", in: "body", offset: -1 },
          price: { type: "PER_RESULT", amount: 1 },
        },
      ],
    },
  ],
])("a file with %s is refused", (_, price) => {
  expect(ManifestPrice.safeParse(price).success).toBe(false);
});

test("an amount of minus zero is nothing", () => {
  expect(applyMarkup(ManifestPrice.parse({ type: "PER_CALL", amount: -0 }))).toEqual({ type: "PER_CALL", amount: "0" });
});

test.each([{ percent: -1 }, { percent: Number.NaN }, { percent: Infinity }, { percent: "10" }, { fixed: -1 }])(
  "a markup of %o is refused",
  (markup) => {
    expect(ManifestMarkup.safeParse(markup).success).toBe(false);
  },
);
