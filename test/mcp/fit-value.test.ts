import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitValue } from "../../cli/mcp/fit-value.ts";

const sizeOf = (value: unknown) => JSON.stringify(value)?.length ?? 0;
const nested = (depth: number): unknown => (depth === 0 ? "x".repeat(100) : [nested(depth - 1)]);

describe("a value made small enough to read", () => {
  test("is left alone when it is", () => {
    expect(fitValue({ a: [1, 2, 3] }, 100)).toEqual({ value: { a: [1, 2, 3] }, cut: [] });
  });

  test.each([
    ["a list keeps its beginning", Array.from({ length: 1_000 }, (_, at) => at), 500, ["output: 100 of 1000 items"]],
    ["a text keeps its beginning", "a".repeat(10_000), 1_100, ["output: 1000 of 10000 characters"]],
    [
      "places within a list are told once",
      [{ text: "a".repeat(3_000) }, { text: "b".repeat(3_000) }],
      4_500,
      ["output[].text: 2000 of 3000 characters"],
    ],
    [
      "members that are too many go",
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`m${at}`, at])),
      1_500,
      ["output: 100 of 500 members"],
    ],
    ["what lies too deep goes", nested(20), 100, ["output[][][][][][][][][][][][]: all that lies below"]],
  ])("%s", (_, value, most, cut) => {
    const fitted = fitValue(value, most);

    expect(fitted.cut).toEqual(cut);
    expect(sizeOf(fitted.value)).toBeLessThanOrEqual(most);
  });

  test("always fits, and what was not cut is the same", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 4, max: 400 }), (value, most) => {
        const fitted = fitValue(value, most);

        expect(sizeOf(fitted.value)).toBeLessThanOrEqual(most);
        if (fitted.cut.length === 0) expect(fitted.value).toEqual(value);
      }),
    );
  });
});
