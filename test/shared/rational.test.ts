import * as fc from "fast-check";
import { expect, test } from "vitest";
import { add, ceil, compare, divide, fromDecimal, multiply, toDecimalText, toNumber } from "../../shared/rational.ts";

test.each([
  [0.1, "0.1"],
  ["0.002", "0.002"],
  [1e-7, "0.0000001"],
  [1.5e-7, "0.00000015"],
  [1e21, "1000000000000000000000"],
  [-0, "0"],
  [-1.5, "-1.5"],
  ["007.500", "7.5"],
  [0.000_000_000_001, "0.000000000001"],
])("%s is read as exactly %s", (value, text) => {
  expect(toDecimalText(fromDecimal(value))).toBe(text);
});

test.each([Number.NaN, Infinity, "", " 1", "1,5", "0x10", "1e4000", "--1", ".5", "1".repeat(200)])(
  "%s is refused, as it is no decimal",
  (value) => {
    expect(() => fromDecimal(value)).toThrow(RangeError);
  },
);

test("more than 12 digits after the point are refused, not rounded", () => {
  expect(() => fromDecimal("0.0000000000001")).toThrow("more than 12 digits after the point");
});

test("a third has no decimal text", () => {
  expect(() => toDecimalText({ n: 1n, d: 3n })).toThrow(RangeError);
});

test("a fraction below zero rounds up towards zero", () => {
  expect(ceil({ n: -3n, d: 2n })).toBe(-1n);
});

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, scale]) => ({ n: digits, d: 10n ** BigInt(scale) }));

test("every decimal comes back from its text", () => {
  fc.assert(
    fc.property(decimals, (value) => {
      expect(compare(fromDecimal(toDecimalText(value)), value)).toBe(0);
    }),
  );
});

test("every double comes back from its exact reading", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (value) => {
      expect(toNumber(fromDecimal(value, 400))).toBe(value);
    }),
  );
});

test("what was multiplied divides back, what was added compares larger", () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      fc.pre(b.n !== 0n);

      expect(compare(divide(multiply(a, b), b), a)).toBe(0);
      expect(compare(add(a, b), a)).toBe(b.n > 0n ? 1 : -1);
    }),
  );
});

test("division by zero is refused", () => {
  expect(() => divide({ n: 1n, d: 1n }, { n: 0n, d: 1n })).toThrow(RangeError);
});
