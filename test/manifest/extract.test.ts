import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  extract,
  type ExtractScope,
  looksLikeExtractor,
  parseExtractor,
  readPath,
  spellPath,
} from "../../daemon/manifest/extract.ts";

const scope: ExtractScope = {
  status: 200,
  headers: { "x-count": "7", link: ["a", "b"] },
  body: { data: { items: [{ id: "x" }, { id: "y" }] }, "c d": { "it's": 1 }, "a-b": 2, ü: 3 },
  input: { body: { limit: 5 }, pathParams: { city: "Lisbon" } },
  state: { dataset: "set-9" },
  elapsedMs: 1_500,
  readStart: (steps) => readPath({ data: { id: "job-1" } }, steps),
};

function read(source: string | number): unknown {
  const parsed = parseExtractor(source);
  if (!parsed.ok) throw new Error(parsed.message);
  return extract(parsed.value, scope);
}

describe("an extractor", () => {
  test.each([
    ["$.data.items[0].id", "x"],
    ["$.data.items[-1].id", "y"],
    ["$['c d']['it\\'s']", 1],
    ['$["a-b"]', 2],
    ["$.ü", 3],
    ["$.data.items[9]", undefined],
    ["$.data.items.id", undefined],
    ["$.none.deeper", undefined],
    ["start:$.data.id", "job-1"],
    ["header:X-Count", "7"],
    ["header:Link", "a, b"],
    ["status", 200],
    ["input:body.limit", 5],
    ["input:pathParams.city", "Lisbon"],
    ["state:dataset", "set-9"],
    ["elapsed", 1.5],
    [12, 12],
  ])("%s reads %j", (source, expected) => {
    expect(read(source)).toEqual(expected);
  });

  test.each(["$.constructor", "$.__proto__", "$.data.items.length", "$.data.toString"])(
    "%s finds nothing, since only own members count",
    (source) => {
      expect(read(source)).toBeUndefined();
    },
  );

  test.each([
    "",
    "data.id",
    "$.",
    "$..a",
    "$[*]",
    "$[1:2]",
    "$[?@.a]",
    "$.a-b",
    "$['a','b']",
    "$[01]",
    "input:query.x",
    "header:",
    "$['a",
  ])("%j is refused at load", (source) => {
    expect(parseExtractor(source).ok).toBe(false);
  });

  test("a refusal of a wildcard says that one value is wanted", () => {
    expect(parseExtractor("$.items[*].id")).toMatchObject({ message: expect.stringContaining("one value") });
  });

  test.each([
    ["$.error.message", true],
    ["header:x-error", true],
    ["start:$.message", true],
    ["$5 is too much", false],
    ["Not found: try again", false],
    ["city not found", false],
  ])("%j as a message is an extractor: %s", (text, expected) => {
    expect(looksLikeExtractor(text)).toBe(expected);
  });

  test("any list of names and indexes can be spelled as a path and read back", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.nat(1_000)), { maxLength: 6 }), (steps) => {
        expect(parseExtractor(spellPath(steps))).toEqual({ ok: true, value: { kind: "path", steps } });
      }),
      { numRuns: 500 },
    );
  });
});
