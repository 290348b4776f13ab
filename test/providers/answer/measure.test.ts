import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Usage } from "../../../daemon/manifest/manifest.ts";
import { measure as measureBy, measureEmpty, resolveEstimate } from "../../../daemon/providers/answer/measure.ts";
import { anyText } from "../../support/any-text.ts";

const measure = (usage: Usage, scope: Parameters<typeof measureBy>[1], byCharacter = false) =>
  measureBy(usage, scope, { byCharacter });

describe("a count", () => {
  test.each([
    ["a list", [1, 2, 3], 3],
    ["an empty list", [], 0],
    ["a number", 7, 7],
    ["a number as text", "7", 7],
    ["zero", 0, 0],
    ["nothing", undefined, NaN],
    ["null", null, NaN],
    ["a negative number", -1, NaN],
    ["half a thing", 2.5, NaN],
    ["words", "many", NaN],
    ["an object", { length: 3 }, NaN],
    ["infinity", Infinity, NaN],
    ["more than can be counted", 2 ** 53, NaN],
    ["a hexadecimal text", "0x10", NaN],
    ["true", true, NaN],
  ])("of %s", (_, found, expected) => {
    expect(measure({ count: "$.found" }, { body: { found } })).toEqual({ count: expected });
  });

  test("that the manifest does not measure is absent", () => {
    expect(measure({}, { body: [] })).toEqual({});
  });
});

describe("a number with more digits than a double has, which is a text in the answer", () => {
  const scope = (text: string) => ({ body: { n: text }, numbersAsText: new Set([text]) });

  test.each([
    ["9007199254740993", NaN],
    ["1e400", NaN],
    ["12.3456789012345678901", 12.345678901234567],
  ])("%s counts as %s, also where texts count by the character", (text, units) => {
    expect(measure({ units: "$.n" }, scope(text), true)).toEqual({ units });
    expect(measure({ units: "$.n" }, scope(text), false)).toEqual({ units });
  });

  test("costs what it says to the last digit", () => {
    const usage: Usage = { cost: { from: "$.n", unit: "MICRO_DOLLAR" } };

    expect(measure(usage, scope("1.0000000000000000001"))).toEqual({ costMicroDollars: 2 });
    expect(measure(usage, scope("9007199254740993"))).toEqual({ costMicroDollars: NaN });
    expect(measure(usage, scope("1e400"))).toEqual({ costMicroDollars: NaN });
  });
});

describe("units", () => {
  test("may be a header, a fraction or the seconds that the call took", () => {
    expect(measure({ units: "header:x-tokens" }, { headers: { "x-tokens": "1234" } })).toEqual({ units: 1_234 });
    expect(measure({ units: "$.seconds" }, { body: { seconds: 2.5 } })).toEqual({ units: 2.5 });
    expect(measure({ units: "elapsed" }, { elapsedMs: 1_500 })).toEqual({ units: 1.5 });
  });

  const scope = {
    body: { text: "2026" },
    input: { body: { text: "2026" } },
    headers: { told: "2026" },
    state: { kept: "2026" },
    readStart: () => "2026",
  };
  test.each([
    ["input:body.text", 4, 4],
    ["$.text", 4, 2_026],
    ["start:$.text", 4, 2_026],
    ["header:told", 2_026, 2_026],
    ["state:kept", 2_026, 2_026],
  ])(
    "read from %s as a text are %i by the character, and %i by anything else",
    (units, byCharacter, byAnythingElse) => {
      expect(measure({ units }, scope, true)).toEqual({ units: byCharacter });
      expect(measure({ units }, scope, false)).toEqual({ units: byAnythingElse });
    },
  );

  test("are quoted as they are measured, whatever the caller sends", () => {
    const value = fc.oneof(anyText(), fc.nat(), fc.double({ min: 0, noNaN: true }), fc.array(fc.nat()));
    fc.assert(
      fc.property(value, fc.boolean(), (sent, byCharacter) => {
        const input = { body: { sent } };
        const { units = NaN } = resolveEstimate({ units: "input:body.sent" }, input);

        expect(measure({ units: "input:body.sent" }, { input }, byCharacter)).toEqual({ units });
      }),
    );
  });
});

describe("the provider's own cost", () => {
  test.each([
    [{ unit: "USD" }, 0.1, 100_000],
    [{ unit: "USD" }, "1.005", 1_005_000],
    [{}, 0.25, 250_000],
    [{ unit: "CENT" }, 1.5, 15_000],
    [{ unit: "MICRO_DOLLAR" }, 12.1, 13],
    [{ usdPerUnit: 0.004 }, 15, 60_000],
    [{ usdPerUnit: 0.0000001 }, 1, 1],
    [{ unit: "USD" }, 0, 0],
    [{ unit: "USD" }, 1e-9, 1],
    [{ unit: "USD" }, -1, NaN],
    [{ unit: "USD" }, "free", NaN],
    [{ unit: "USD" }, null, NaN],
    [{ unit: "USD" }, 1e300, NaN],
  ] as const)("with %j and %j is %s micro-dollars, rounded up once", (how, told, expected) => {
    const usage = Usage.parse({ cost: { from: "$.cost", ...how } });

    expect(measure(usage, { body: { cost: told } })).toEqual({ costMicroDollars: expected });
  });
});

test("an empty success counts zero of everything and still tells its cost", () => {
  const usage = Usage.parse({ count: "$.list", units: "$.n", cost: { from: "$.usd" } });

  expect(measureEmpty(usage, { body: { usd: 1 } })).toEqual({ count: 0, units: 0, costMicroDollars: 1_000_000 });
});

describe("an estimate", () => {
  const schemas = {
    body: { properties: { limit: { type: "integer", maximum: 100 }, urls: { type: "array", maxItems: 20 } } },
  };

  test("reads the caller's limit", () => {
    const estimate = { count: "input:body.limit", max: "input:body.limit" };

    expect(resolveEstimate(estimate, { body: { limit: 5 } })).toEqual({ count: 5, max: 5 });
  });

  test("multiplies a list of factors", () => {
    const estimate = { max: ["input:body.urls", "input:body.depth", 10] };

    expect(resolveEstimate(estimate, { body: { urls: ["a", "b"], depth: 3 } })).toEqual({ max: 60 });
  });

  test("counts a text by its characters", () => {
    expect(resolveEstimate({ units: "input:body.text" }, { body: { text: "hello" } })).toEqual({ units: 5 });
  });

  test("takes the schema's most for a field that was left out", () => {
    expect(resolveEstimate({ max: ["input:body.limit", "input:body.urls"] }, {}, schemas)).toEqual({ max: 2_000 });
  });

  test("leaves out what nobody can tell", () => {
    expect(resolveEstimate({ count: "input:body.limit", max: 7 }, {})).toEqual({ max: 7 });
    expect(resolveEstimate(undefined, {})).toEqual({});
  });
});
