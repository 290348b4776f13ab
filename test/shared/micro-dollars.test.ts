import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  add,
  atLeastZero,
  ceilToMicroDollars,
  formatDollars,
  microDollars,
  negate,
  parseDollars,
  smaller,
  subtract,
  sum,
  toDollars,
  toMoney,
} from "../../shared/micro-dollars.ts";
import { fromDecimal } from "../../shared/rational.ts";

describe("reading dollars", () => {
  test.each([
    ["10", 10_000_000],
    ["0.002", 2_000],
    ["-1.5", -1_500_000],
    ["0.1000000000", 100_000],
    ["-0", 0],
    [" 3 ", 3_000_000],
    ["9007199254.740991", 9_007_199_254_740_991],
    [0.1, 100_000],
    [0.000001, 1],
    [0.0000025e1, 25],
    [-0, 0],
  ])("%j dollars", (text, expected) => {
    const micros = parseDollars(text);

    expect(micros).toBe(expected);
  });

  test.each([
    ["more than six digits after the point", "0.0000001", "more than 6 digits after the point"],
    ["the same as a number", 1e-7, "0.0000001 has more than 6 digits"],
    ["an exponent", "1e3", "not an amount in dollars"],
    ["words", "ten", "not an amount in dollars"],
    ["nothing", "", "not an amount in dollars"],
    ["a bare point", ".5", "not an amount in dollars"],
    ["a thousands separator", "1,000", "not an amount in dollars"],
    ["what is not a number", Number.NaN, "not an amount in dollars"],
    ["what is not finite", Number.POSITIVE_INFINITY, "not an amount in dollars"],
    ["beyond the safe range", "9007199254.740992", "too large"],
    ["far beyond it", 1e30, "too large"],
  ])("%s is refused", (_, text, message) => {
    expect(() => parseDollars(text)).toThrow(message);
  });
});

describe("saying dollars", () => {
  test.each([
    [10_000_000, "$10"],
    [2_000, "$0.002"],
    [1, "$0.000001"],
    [0, "$0"],
    [-1_500_000, "-$1.5"],
    [9_007_199_254_740_991, "$9007199254.740991"],
  ])("%i micro-dollars are %s", (micros, text) => {
    expect(formatDollars(microDollars(micros))).toBe(text);
  });

  test("the wire has dollars as a number with their currency", () => {
    expect(toMoney(microDollars(2_500))).toEqual({ value: 0.0025, currency: "USD" });
  });
});

const amounts = fc.maxSafeInteger().map(microDollars);

test("what is said is read back", () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      expect(parseDollars(formatDollars(amount).replace("$", ""))).toBe(amount);
    }),
  );
});

test("an amount below a billion dollars goes over the wire and back unharmed", () => {
  fc.assert(
    fc.property(fc.integer({ min: -(10 ** 15), max: 10 ** 15 }).map(microDollars), (amount) => {
      expect(parseDollars(toDollars(amount))).toBe(amount);
    }),
  );
});

test("only whole numbers in the safe range are micro-dollars", () => {
  fc.assert(
    fc.property(
      fc.double().filter((value) => !Number.isSafeInteger(value)),
      (value) => {
        expect(() => microDollars(value)).toThrow(RangeError);
      },
    ),
  );
  expect(Object.is(microDollars(-0), 0)).toBe(true);
});

test.each([
  ["0.0000001", 1n],
  ["0.000001", 1n],
  ["0.0000010001", 2n],
  ["0", 0n],
  ["1.005", 1_005_000n],
])("%s dollars are %s micro-dollars, rounded up", (dollars, micros) => {
  expect(ceilToMicroDollars(fromDecimal(dollars))).toBe(micros);
});

describe("arithmetic", () => {
  const [one, most] = [microDollars(1), microDollars(Number.MAX_SAFE_INTEGER)];

  test("adds and subtracts whole amounts", () => {
    expect(add(microDollars(7), microDollars(-9))).toBe(-2);
    expect(subtract(microDollars(7), microDollars(2), microDollars(9))).toBe(-4);
    expect(sum([])).toBe(0);
    expect(sum([one, microDollars(20), microDollars(300)])).toBe(321);
    expect(smaller(microDollars(-3), one)).toBe(-3);
    expect([atLeastZero(microDollars(-3)), atLeastZero(one)]).toEqual([0, 1]);
  });

  test("gives no minus zero, which a line would carry otherwise than it is read", () => {
    expect(negate(microDollars(0))).toBe(0);
  });

  test("refuses what leaves the safe range, and loses nothing", () => {
    expect(() => add(most, one)).toThrow(RangeError);
    expect(() => subtract(negate(most), one)).toThrow(RangeError);
    expect(() => sum([most, one])).toThrow(RangeError);
  });
});
