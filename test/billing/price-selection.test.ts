import { describe, expect, test } from "vitest";
import { applyMarkup } from "../../daemon/billing/markup.ts";
import type { PriceModel } from "../../daemon/ledger/money/price-model.ts";
import { findRules, listPossibleRules, noRowMatches } from "../../daemon/billing/price-selection.ts";
import { leadfinderPrice } from "./worked-examples.ts";

const leadfinder = applyMarkup(leadfinderPrice);

test.each([
  ["a value picks its row", { body: { depth: "phone" } }, "with phone"],
  ["a value without a row gets the default", { body: { depth: "basic" } }, undefined],
  ["an absent value gets the default", { body: {} }, undefined],
  ["an absent body gets the default", {}, undefined],
  ["null equals nothing", { body: { depth: null } }, undefined],
  ["a list equals nothing, though it reads the same", { body: { depth: ["phone"] } }, undefined],
  ["a field of another place is not looked at", { queryParams: { depth: "phone" } }, undefined],
])("matrix: %s", (_, input, label) => {
  const rules = findRules(leadfinder, { input });

  expect(rules?.map((rule) => rule.label)).toEqual([label]);
});

const priced = (wanted: string | number | boolean): PriceModel => ({
  type: "PER_UNIT_MATRIX",
  selectors: [{ label: "Value", key: "value", in: "queryParam" }],
  variants: [{ when: { value: wanted }, price: { type: "PER_CALL", amount: "1" } }],
});

describe("values are compared as text", () => {
  test.each([
    [1, "1"],
    ["1", 1],
    [true, "true"],
    ["false", false],
    [1, 1.0],
  ])("a row for %o takes %o", (wanted, value) => {
    const rules = findRules(priced(wanted), { input: { queryParams: { value } } });

    expect(rules).toHaveLength(1);
  });

  test("an absent value is not the text undefined", () => {
    const [model, values] = [priced("undefined"), { input: { queryParams: {} } }];

    expect(findRules(model, values)).toBeUndefined();
    expect(noRowMatches(model, values).message).toContain("queryParams.value = (absent)");
  });
});

const keyed = (key: string): PriceModel => ({
  type: "PER_UNIT_MATRIX",
  selectors: [{ label: "Key", key, in: "body" }],
  variants: [{ when: { [key]: "x" }, price: { type: "PER_CALL", amount: "1" } }],
});

describe("keys", () => {
  test("a row that asks for what no selector reads is not taken", () => {
    const model: PriceModel = {
      type: "PER_UNIT_MATRIX",
      selectors: [{ label: "Key", key: "known", in: "body" }],
      variants: [{ when: { unknown: "x" }, price: { type: "PER_CALL", amount: "1" } }],
    };

    expect(findRules(model, { input: { body: { known: "x", unknown: "x" } } })).toBeUndefined();
  });

  test("a dotted key goes deeper", () => {
    expect(findRules(keyed("a.b.c"), { input: { body: { a: { b: { c: "x" } } } } })).toHaveLength(1);
  });

  test("a field that is spelled with the dot wins", () => {
    expect(findRules(keyed("a.b"), { input: { body: { "a.b": "x", a: { b: "y" } } } })).toHaveLength(1);
  });

  test.each(["__proto__", "constructor", "toString", "a.__proto__.b"])(
    "%s finds nothing that is not a field",
    (key) => {
      const [model, values] = [keyed(key), { input: { body: { a: {} } } }];

      expect(findRules(model, values)).toBeUndefined();
      expect(noRowMatches(model, values).message).toContain("(absent)");
    },
  );
});

test("all values of a row must match", () => {
  const model: PriceModel = {
    type: "PER_UNIT_MATRIX",
    selectors: [
      { label: "Size", key: "size", in: "body" },
      { label: "Quality", key: "quality", in: "pathParam" },
    ],
    variants: [
      { when: { size: "large", quality: "high" }, label: "both", price: { type: "PER_CALL", amount: "3" } },
      { when: { size: "large" }, label: "size only", price: { type: "PER_CALL", amount: "2" } },
    ],
  };

  const labelOf = (input: object) => findRules(model, { input })?.[0]?.label;

  expect(labelOf({ body: { size: "large" }, pathParams: { quality: "high" } })).toBe("both");
  expect(labelOf({ body: { size: "large" }, pathParams: { quality: "low" } })).toBe("size only");
});

test("a long value is cut in the message", () => {
  const model: PriceModel = {
    type: "PER_UNIT_MATRIX",
    selectors: [{ label: "Key", key: "key", in: "body" }],
    variants: [{ when: { key: "x" }, price: { type: "PER_CALL", amount: "1" } }],
  };

  const { message } = noRowMatches(model, { input: { body: { key: "y".repeat(10_000) } } });

  expect(message).toMatch(/^.{0,250}$/);
});

describe("tiers", () => {
  const model: PriceModel = {
    type: "TIERED",
    default: { type: "PER_CALL", amount: "1" },
    selectors: [
      { label: "Photos", key: "photos", in: "body" },
      { label: "Cached", key: "cached", in: "output" },
    ],
    tiers: [
      { label: "always", price: { type: "PER_CALL", amount: "1" } },
      { label: "photos", when: { photos: true }, price: { type: "PER_CALL", amount: "1" } },
      { label: "fresh", when: { cached: false }, price: { type: "PER_CALL", amount: "1" } },
      {
        label: "third page",
        when: { pages: 3 },
        selector: { label: "Pages", key: "pages", in: "body" },
        price: { type: "PER_RESULT", amount: "1" },
      },
    ],
  };

  test.each([
    ["what is unconditional is always added", { body: {} }, {}, ["always"]],
    [
      "every tier that matches is added",
      { body: { photos: true, pages: 3 } },
      { cached: false },
      ["always", "photos", "fresh", "third page"],
    ],
    ["without an answer nothing is known of it", { body: {} }, undefined, ["always"]],
    ["a text as answer has no fields", { body: {} }, "cached", ["always"]],
  ])("%s", (_, input, output, labels) => {
    const rules = findRules(model, { input, output });

    expect(rules?.map((rule) => rule.label)).toEqual([undefined, ...labels]);
  });

  test("before the call, what only the answer tells may still come", () => {
    const possible = listPossibleRules(model, { input: { body: {} } });

    expect(possible.map((rules) => rules.map((rule) => rule.label))).toEqual([[undefined, "always", "fresh"]]);
  });
});
