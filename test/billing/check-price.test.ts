import { describe, expect, test } from "vitest";
import { checkPrice } from "../../daemon/billing/check-price.ts";
import type { ManifestPrice } from "../../daemon/manifest/manifest-price.ts";
import type { PriceSurroundings } from "../../daemon/billing/price-problem.ts";
import { leadfinderInput, leadfinderPrice, leadfinderUsage } from "./worked-examples.ts";

const surroundings: PriceSurroundings = { input: leadfinderInput, usage: leadfinderUsage };
const { default: _default, ...uncovered } = leadfinderPrice as Extract<ManifestPrice, { type: "PER_UNIT_MATRIX" }>;
const perResult: ManifestPrice = { type: "PER_RESULT", amount: 0.01 };

test("Leadfinder's price, with its markup, has no problem", () => {
  expect(checkPrice(leadfinderPrice, { ...surroundings, markup: { percent: 10 } })).toEqual([]);
});

test.each<ManifestPrice>([
  { type: "FREE" },
  { type: "PER_CALL", amount: 0.002 },
  { type: "METERED", amount: 1, per: { unit: "MINUTE", count: 1 } },
  { type: "BY_PERIOD", amount: 2, period: { unit: "MONTH", count: 1 } },
])("$type needs nothing measured", (price) => {
  expect(checkPrice(price, { input: {} })).toEqual([]);
});

test("a fixed markup on a price that cannot carry it is a load error", () => {
  const problems = checkPrice(leadfinderPrice, { ...surroundings, markup: { fixed: 0.01 } });

  expect(problems).toMatchObject([{ path: ["price"], rule: "markup" }]);
});

describe("a matrix covers its selectors or has a default", () => {
  test("a value without a row is named", () => {
    expect(checkPrice(uncovered, surroundings)).toEqual([
      {
        path: ["price"],
        rule: "price-coverage",
        message:
          'no variant has a price for depth = "basic": give the matrix a default, or a variant for every value (docs/manifest.md, "Price coverage")',
      },
    ]);
  });

  test("rows for every value need no default", () => {
    const basic = { when: { depth: "basic" }, price: perResult };

    expect(checkPrice({ ...uncovered, variants: [...uncovered.variants, basic] }, surroundings)).toEqual([]);
  });

  test("a free text can only be covered by a default", () => {
    const selectors = [{ label: "Title", key: "title", in: "body" as const }];
    const variants = [{ when: { title: "CTO" }, price: perResult }];

    const problems = checkPrice({ type: "PER_UNIT_MATRIX", selectors, variants }, surroundings);

    expect(problems).toMatchObject([{ rule: "price-coverage", message: expect.stringContaining("body.title") }]);
  });

  test("what only the answer tells can only be covered by a default", () => {
    const selectors = [{ label: "Model", key: "model", in: "output" as const }];
    const variants = [{ when: { model: "large" }, price: perResult }];

    const problems = checkPrice({ type: "PER_UNIT_MATRIX", selectors, variants }, surroundings);

    expect(problems).toMatchObject([{ rule: "price-coverage", message: expect.stringContaining("output.model") }]);
  });

  test("every combination of two selectors needs a row", () => {
    const input = {
      body: {
        properties: { fast: { type: "boolean" }, size: { $ref: "#/$defs/Size" } },
        $defs: { Size: { enum: [1, 2] } },
      },
    };
    const selectors = ["fast", "size"].map((key) => ({ label: key, key, in: "body" as const }));
    const call = { type: "PER_CALL", amount: 1 } as const;
    const variants = [
      { when: { fast: true }, price: call },
      { when: { fast: false, size: "1" }, price: call },
    ];

    const problems = checkPrice({ type: "PER_UNIT_MATRIX", selectors, variants }, { input });

    expect(problems).toMatchObject([{ message: expect.stringContaining("fast = false, size = 2") }]);
  });

  test("a row that an earlier one always takes is a mistake", () => {
    const price = { type: "PER_CALL", amount: 1 } as const;
    const variants = [
      { when: {}, price },
      { when: { depth: "email" }, price },
    ];

    expect(checkPrice({ ...uncovered, variants }, surroundings)).toMatchObject([
      { path: ["price", "variants", 1, "when"], message: expect.stringContaining("can never be chosen") },
    ]);
  });
});

const withKey = (key: string, place: "body" | "queryParam" = "body"): ManifestPrice => ({
  type: "PER_UNIT_MATRIX",
  selectors: [{ label: "Key", key, in: place }],
  variants: [{ when: { [key]: "email" }, price: perResult }],
  default: perResult,
});

describe("selectors read what the input has", () => {
  test.each([
    ["a misspelled field", withKey("deph")],
    ["a field of a section that is not there", withKey("depth", "queryParam")],
    ["a field below a field that has none", withKey("depth.level")],
  ])("%s is a load error", (_, price) => {
    expect(checkPrice(price, surroundings)).toMatchObject([
      {
        path: ["price", "selectors", 0, "key"],
        rule: "price-selector",
        message: expect.stringContaining("does not have"),
      },
    ]);
  });

  test("an input that takes any field is believed", () => {
    const input = { body: { additionalProperties: true } };

    expect(
      checkPrice(withKey("anything"), { ...surroundings, input, usage: { count: "$.x", estimate: { max: 5 } } }),
    ).toEqual([]);
  });

  test("a misspelled value is named with those that are allowed", () => {
    const variants = [{ when: { depth: "emial" }, price: perResult }];

    expect(checkPrice({ ...leadfinderPrice, variants } as ManifestPrice, surroundings)).toMatchObject([
      {
        path: ["price", "variants", 0, "when", "depth"],
        message: 'body.depth is never "emial"; its schema allows "basic", "email", "phone"',
      },
    ]);
  });

  test("a condition on something that no selector reads is a load error", () => {
    const variants = [{ when: { company: "x" }, price: perResult }];

    expect(checkPrice({ ...leadfinderPrice, variants } as ManifestPrice, surroundings)).toMatchObject([
      { message: '"when" names company, which no selector reads: add it to price.selectors' },
    ]);
  });

  test("two selectors with one key are a load error", () => {
    const selectors = ["body", "output"].map((place) => ({ label: "Depth", key: "depth", in: place as "body" }));

    expect(checkPrice({ ...leadfinderPrice, selectors } as ManifestPrice, surroundings)).toMatchObject([
      { path: ["price", "selectors", 1], message: expect.stringContaining("keep one") },
    ]);
  });

  test("a tier that selects a quantity must count it", () => {
    const selector = { label: "Limit", key: "limit", in: "body" as const };
    const tiers = [{ label: "more", selector, price: { type: "PER_CALL" as const, amount: 1 } }];

    expect(checkPrice({ type: "TIERED", default: { type: "FREE" }, tiers }, surroundings)).toMatchObject([
      { path: ["price", "tiers", 0, "price"], rule: "price-selector" },
    ]);
  });

  test("a tier's condition may use the tier's own selector", () => {
    const selector = { label: "Limit", key: "limit", in: "body" as const, offset: 10 };
    const tiers = [{ label: "ten", when: { limit: 10 }, selector, price: perResult }];

    expect(checkPrice({ type: "TIERED", default: { type: "FREE" }, tiers } as ManifestPrice, surroundings)).toEqual([]);
  });
});

describe("what is counted is measured, and limited", () => {
  test("results without usage.count are a load error", () => {
    const problems = checkPrice(perResult, { ...surroundings, usage: { estimate: { max: 5 } } });

    expect(problems).toMatchObject([{ path: ["usage", "count"], rule: "price-maximum" }]);
  });

  test("units without usage.units are a load error, also deep in a matrix", () => {
    const price: ManifestPrice = { ...uncovered, default: { type: "PER_UNIT", amount: 1, per: 1, unit: "token" } };

    expect(checkPrice(price, surroundings)).toMatchObject([{ path: ["usage", "units"], rule: "price-maximum" }]);
  });

  test("without usage.estimate.max nobody knows the most", () => {
    const problems = checkPrice(perResult, { ...surroundings, usage: { count: "$.people" } });

    expect(problems).toMatchObject([{ path: ["usage", "estimate", "max"], rule: "price-maximum" }]);
  });

  test.each([5, "input:body.limit", ["input:body.limit", 3]])("a maximum of %o is known before the call", (max) => {
    expect(checkPrice(perResult, { ...surroundings, usage: { count: "$.people", estimate: { max } } })).toEqual([]);
  });

  test.each([
    ["an input without a maximum", "input:body.company", "has no upper limit"],
    ["an input that is not there", "input:body.limt", "which the input does not have"],
    ["something of the answer", "$.total", "is needed before the call"],
    ["a negative number", -1, "cannot be negative"],
    [
      "one unlimited factor of a product",
      ["input:body.limit", "input:body.company"],
      "body.company, which has no upper limit",
    ],
  ])("%s is a load error", (_, max, message) => {
    const problems = checkPrice(perResult, { ...surroundings, usage: { count: "$.people", estimate: { max } } });

    expect(problems).toMatchObject([{ rule: "price-maximum", message: expect.stringContaining(message) }]);
  });

  test.each([
    { type: "array", maxItems: 10 },
    { type: "string", maxLength: 5_000 },
    { enum: [10, 20] },
    { allOf: [{ type: "integer" }, { exclusiveMaximum: 10 }] },
    { oneOf: [{ type: "integer", maximum: 3 }, { const: 10 }] },
  ])("%o limits what it takes", (field) => {
    const input = { queryParams: { properties: { field } } };
    const usage = { count: "$.x", estimate: { max: "input:queryParams.field" } };

    expect(checkPrice(perResult, { input, usage })).toEqual([]);
  });

  test("a tier that counts something in the answer needs the most too", () => {
    const selector = { label: "Pages", key: "pages", in: "output" as const };
    const tiers = [{ label: "pages", selector, price: perResult }];

    expect(
      checkPrice({ type: "TIERED", default: { type: "FREE" }, tiers } as ManifestPrice, { input: {} }),
    ).toMatchObject([{ path: ["usage", "estimate", "max"], rule: "price-maximum" }]);
  });

  test("a schema that refers to itself is read to its end", () => {
    const input = { body: { $ref: "#", properties: { limit: { $ref: "#/properties/limit" } } } };
    const usage = { count: "$.x", estimate: { max: "input:body.limit" } };

    expect(checkPrice(perResult, { input, usage })).toMatchObject([{ rule: "price-maximum" }]);
  });
});
