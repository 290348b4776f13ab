import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isHeld } from "../../../shared/json/held-number.ts";
import { findUnheldNumber, parseExactly, pathsOf } from "../../../shared/json/parse-exactly.ts";
import { JsonScanner, scanJson } from "../../../shared/json/scan-json.ts";

/** Counted on what `JSON.parse` builds. */
function countsOf(value: unknown): { values: number; depth: number } {
  if (typeof value !== "object" || value === null) return { values: 1, depth: 0 };
  const inner = Object.values(value).map(countsOf);
  return {
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  };
}

/** A decimal as an exact fraction, by another way than the code's own. */
function fractionOf(literal: string): readonly [bigint, bigint] {
  const [, sign, whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const scale = Number(power) - fraction.length;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return scale >= 0 ? [digits * 10n ** BigInt(scale), 1n] : [digits, 10n ** BigInt(-scale)];
}

function isSameNumber(one: string, other: string): boolean {
  const [[a, b], [c, d]] = [fractionOf(one), fractionOf(other)];
  return a * d === c * b;
}

const digits = fc.stringMatching(/^[0-9]{1,25}$/);
const whole = digits.map((text) => text.replace(/^0+(?=.)/, ""));
const literal = fc
  .tuple(
    fc.constantFrom("", "-"),
    whole,
    fc.option(digits, { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom("e", "E"), fc.constantFrom("", "+", "-"), fc.integer({ min: 0, max: 330 })), {
      nil: undefined,
    }),
  )
  .map(
    ([sign, number, fraction, power]) =>
      `${sign}${number}${fraction === undefined ? "" : `.${fraction}`}${power === undefined ? "" : power.join("")}`,
  );

test("a scan counts the values and the depth that JSON.parse builds, wherever it pauses", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 40 }), fc.boolean(), (value, step, spaced) => {
      const text = JSON.stringify(value, null, spaced ? 2 : 0);
      const parsed: unknown = JSON.parse(text);
      const scanner = new JsonScanner(text);
      while (!scanner.isDone) scanner.advance(step);
      expect(scanner.facts).toMatchObject(countsOf(parsed));
      expect(scanner.facts).toEqual(scanJson(text));
    }),
    { numRuns: 500 },
  );
});

test("members are counted as those of a map by their own object, wherever it stands", () => {
  const object = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, [{ at }]]));
  const text = JSON.stringify([object(1_000), { deep: object(1_001), beside: [object(2), object(1_500)] }]);

  expect(scanJson(text).mapMembers).toBe(2_501);
  expect(scanJson("[".repeat(5_000) + "]".repeat(9_000)).mapMembers).toBe(0);
});

test("quotes, backslashes and brackets inside of texts and names are no values", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('"', "\\", "{", "[", ":", "é", "1", "n"), maxLength: 200 })),
      (texts) => {
        const value = { texts, byText: Object.fromEntries(texts.map((text, index) => [`${index}${text}`, text])) };
        expect(scanJson(JSON.stringify(value))).toMatchObject(countsOf(value));
      },
    ),
  );
});

test("a number is held when it comes out of JSON as the same number, or as the double that it spells out", () => {
  fc.assert(
    fc.property(literal, (text) => {
      const number = JSON.parse(text) as number;
      const back = JSON.stringify(number);
      const isSame = Number.isFinite(number) && isSameNumber(text, back);
      if (/^-?\d+$/.test(text) && text !== "-0") expect(isHeld(text)).toBe(back === text);
      else if (isHeld(text)) expect(isSame || isSameNumber(text, number.toPrecision(digitsOf(text)))).toBe(true);
      else expect(isSame).toBe(false);
    }),
    { numRuns: 3_000 },
  );
});

/** Significant digits, zeros at the end not counted. */
function digitsOf(text: string): number {
  const all = text
    .replace(/^-/, "")
    .replace(/[eE].*$/, "")
    .replace(".", "")
    .replace(/^0+/, "")
    .replace(/0+$/, "");
  return Math.min(100, Math.max(1, all.length));
}

test("every double and every whole number up to 2^53 is held as JSON writes it", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => isHeld(JSON.stringify(number))),
  );
  fc.assert(fc.property(fc.maxSafeInteger(), (number) => isHeld(JSON.stringify(number))));
});

test.each<[string, boolean]>([
  ["9007199254740992", true],
  ["9007199254740993", false],
  ["-9007199254740993", false],
  ["18446744073709551615", false],
  // The same double, but an id with other digits.
  ["18446744073709551616", false],
  ["1000000000000000000000", false],
  ["1e400", false],
  ["1e-400", false],
  ["0.1234567890123456789", false],
  ["0.12345678901234567", false],
  ["0.30000000000000004", true],
  // How many programs write the double 3.14.
  ["3.1400000000000001", true],
  ["-0", true],
  ["-0.0", true],
  ["1E2", true],
  ["1e2", true],
  ["1.50", true],
  ["100.000000000000000000", true],
  ["5e-324", true],
  ["1.7976931348623157e308", true],
  [`0.${"1".repeat(5_000)}`, false],
  [`3.14${"0".repeat(5_000)}`, false],
])("%s is held: %s", (text, held) => {
  const { unheld } = scanJson(`{"a":[${text}]}`);
  expect(unheld.length === 0).toBe(held);
});

test("numbers that would change become texts with the provider's digits, and all others stay numbers", () => {
  fc.assert(
    fc.property(fc.array(literal, { maxLength: 20 }), (literals) => {
      const text = `{"list":[${literals.join(" , ")}],"name with \\"quotes\\"":"9007199254740993"}`;
      const { list } = parseExactly(text) as { list: readonly unknown[] };
      const expected = literals.map((one) => (isHeld(one) ? JSON.parse(one) : one));
      expect(list).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("the places of such numbers are named by their paths", () => {
  const text =
    '{"id": 9007199254740993, "a b": [{"n":1}, {"n": {"é": 1e400}}], "last" : [[1,2],[3,10000000000000001]]}';
  expect(pathsOf(text, scanJson(text).unheld)).toEqual(["$.id", '$["a b"][1].n["é"]', "$.last[1][1]"]);
  expect(findUnheldNumber(text)).toEqual({ path: "$.id", literal: "9007199254740993" });
  expect(findUnheldNumber('{"id": 9007199254740992, "text": "9007199254740993"}')).toBeUndefined();
});

test.each(["{10000000000000001: 1}", "[010000000000000001]", "[10000000000000001", "1.e400", "10000000000000001 1"])(
  "%s is no JSON, and does not become any",
  (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => parseExactly(text)).toThrow(SyntaxError);
    expect(findUnheldNumber(text)).toBeUndefined();
  },
);

test("no text makes a scan throw or stand still", () => {
  const unit = fc.constantFrom(...'{}[]":,\\ -1.eEtn\u0000é');
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit, maxLength: 300 })), (text) => {
      expect(scanJson(text).values).toBeLessThanOrEqual(text.length);
    }),
  );
});
