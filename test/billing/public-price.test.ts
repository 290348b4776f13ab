import { expect, test } from "vitest";
import { PublicPrice, RunPrice } from "../../shared/contract/price.ts";
import type { ManifestPrice } from "../../daemon/manifest/manifest-price.ts";
import { applyMarkup } from "../../daemon/billing/markup.ts";
import { toPublicPrice, toRunPrice } from "../../daemon/billing/public-price.ts";
import { leadfinderPrice } from "./worked-examples.ts";

const usd = (value: number) => ({ value, currency: "USD" });

const tiered: ManifestPrice = {
  type: "TIERED",
  default: { type: "PER_CALL", amount: 0.01 },
  tiers: [
    {
      label: "pages",
      selector: { label: "Pages", key: "pages", in: "body", offset: 3 },
      price: { type: "PER_RESULT", amount: 0.001 },
    },
    { label: "photos", when: { photos: true }, price: { type: "PER_CALL", amount: 0.005 } },
  ],
  selectors: [{ label: "Photos", key: "photos", in: "body" }],
};

const cases: [title: string, price: ManifestPrice, shown: object][] = [
  ["free is a call for nothing", { type: "FREE" }, { type: "PER_CALL", amount: usd(0) }],
  ["a call", { type: "PER_CALL", amount: 0.002 }, { type: "PER_CALL", amount: usd(0.0022) }],
  [
    "results with their flat fee",
    { type: "PER_RESULT", amount: 0.02, flatFee: 0.01 },
    { type: "PER_RESULT", amount: usd(0.022), flatFee: usd(0.011) },
  ],
  [
    "metered time",
    { type: "METERED", amount: 0.1, per: { unit: "MINUTE", count: 5 } },
    { type: "METERED", amount: usd(0.11), per: { unit: "MINUTE", count: 5 } },
  ],
  [
    "units, down to fractions of a micro-dollar",
    { type: "PER_UNIT", amount: 1e-7, per: 1, unit: "token" },
    { type: "PER_UNIT", amount: usd(1.1e-7), per: 1, unit: "token" },
  ],
  [
    "a rent",
    { type: "BY_PERIOD", amount: 2, period: { unit: "MONTH", count: 1 } },
    { type: "BY_PERIOD", amount: usd(2.2), period: { unit: "MONTH", count: 1 } },
  ],
  [
    "a matrix, standing for it its lowest amount",
    leadfinderPrice,
    {
      type: "PER_UNIT_MATRIX",
      amount: usd(0.0044),
      selectors: [{ label: "Depth", key: "depth", in: "body" }],
      variants: [
        {
          when: { depth: "email" },
          price: { type: "PER_RESULT", amount: usd(0.022), flatFee: usd(0.011) },
          label: "with e-mail",
        },
        {
          when: { depth: "phone" },
          price: { type: "PER_RESULT", amount: usd(0.11), flatFee: usd(0.011) },
          label: "with phone",
        },
      ],
      default: { type: "PER_RESULT", amount: usd(0.0044), flatFee: usd(0.011) },
    },
  ],
  [
    "tiers, each with a condition, none with its offset",
    tiered,
    {
      type: "TIERED",
      amount: usd(0.011),
      default: { type: "PER_CALL", amount: usd(0.011) },
      tiers: [
        {
          label: "pages",
          when: {},
          selector: { label: "Pages", key: "pages", in: "body" },
          price: { type: "PER_RESULT", amount: usd(0.0011) },
        },
        { label: "photos", when: { photos: true }, price: { type: "PER_CALL", amount: usd(0.0055) } },
      ],
      selectors: [{ label: "Photos", key: "photos", in: "body" }],
    },
  ],
];

test.each(cases)("callers see %s, with a markup of 10 % in it", (_, price, shown) => {
  const model = applyMarkup(price, { percent: 10 });

  expect(toPublicPrice(model)).toEqual(shown);
});

test.each(cases)("%s is as the contract has it", (_, price) => {
  const model = applyMarkup(price, { percent: 10 });

  expect(PublicPrice.parse(toPublicPrice(model))).toEqual(toPublicPrice(model));
  expect(RunPrice.parse(toRunPrice(model))).toEqual(toRunPrice(model));
});

test("the price of a run is flat", () => {
  const price = toRunPrice(applyMarkup({ type: "PER_CALL", amount: 0.002 }));

  expect(price).toEqual({ type: "PER_CALL", amount: 0.002, currency: "USD" });
});

test("what a flat price cannot say stands in its detail", () => {
  const model = applyMarkup(leadfinderPrice);

  expect(toRunPrice(model)).toEqual({
    type: "PER_UNIT_MATRIX",
    amount: 0.004,
    currency: "USD",
    detail: toPublicPrice(model),
  });
});
