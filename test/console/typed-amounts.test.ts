import { describe, expect, test } from "vitest";
import { durationText } from "../../console/words/durations.ts";
import { notAnAmount, typedMicros } from "../../console/words/typed-amount.ts";
import { priceText } from "../../console/words/prices.ts";
import { numberAsTyped, readersDecimalSign, withPoint } from "../../console/words/typed-number.ts";

describe("an amount that a reader types", () => {
  test.each([
    ["0.50", ".", 500_000],
    ["$1", ".", 1_000_000],
    [" 12 ", ".", 12_000_000],
    ["0.000001", ".", 1],
    ["0", ".", 0],
    ["0,50", ",", 500_000],
    ["0,50 $", ",", 500_000],
    ["0.50", ",", 500_000],
    ["0.002", ",", 2_000],
    ["1000", ",", 1_000_000_000],
  ])("%j, where the decimal sign is %j, is %i micro-dollars", (text, sign, micros) => {
    expect(typedMicros(text, sign)).toBe(micros);
  });

  test.each([
    ["abc", "."],
    ["", "."],
    ["-1", "."],
    ["0,50", "."],
    ["1,000", "."],
    ["0.0000001", "."],
    ["1e3", "."],
    ["1.000", ","],
    ["1.000,50", ","],
    ["1,0,0", ","],
  ])("%j, where the decimal sign is %j, is none", (text, sign) => {
    expect(typedMicros(text, sign)).toBeUndefined();
  });

  test.each([".", ","])("where the decimal sign is %j, is what a field begins with", (sign) => {
    expect([0.5, 1.234, 1_000].map((dollars) => typedMicros(numberAsTyped(dollars, sign), sign))).toEqual([
      500_000, 1_234_000, 1_000_000_000,
    ]);
  });

  test("that is none is named with an example in the reader's own writing", () => {
    expect(notAnAmount(" abc ", ",")).toBe("“abc” is no amount. Type dollars, such as 0,50.");
  });
});

test("the decimal sign is that of the reader's place", () => {
  expect([readersDecimalSign("en-US"), readersDecimalSign("de-DE"), readersDecimalSign("pt-PT")]).toEqual([
    ".",
    ",",
    ",",
  ]);
});

test("a number that could be thousands or thousandths is not guessed", () => {
  expect([withPoint("-1.234", ","), withPoint("-1,234", ","), withPoint("38.7223", ",")]).toEqual([
    undefined,
    "-1.234",
    "38.7223",
  ]);
});

test("a number is written so that it is read back as the same", () => {
  for (const sign of [".", ","]) {
    for (const value of [13.405, -1.234, 7, 1.5e-7]) {
      expect(Number(withPoint(numberAsTyped(value, sign), sign))).toBe(value);
    }
  }
});

test("a price has all the digits of its amount, also below a micro-dollar", () => {
  const price = { type: "PER_CALL", amount: { value: 0.00000025, currency: "USD" } } as const;

  expect(priceText(price, { provider: "x" })).toMatch(/^\D*0[.,]00000025\D*\/call$/);
});

test("a time span is written in the numbers of the reader's place", () => {
  expect([1, 1_500, 125_000, 12_000_000].map((ms) => durationText(ms, "de-DE"))).toEqual([
    "1 ms",
    "1,5 s",
    "2 min 5 s",
    "3 h 20 min",
  ]);
});
