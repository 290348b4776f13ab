import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldPathWords, parseFieldPaths } from "../../cli/projection/field-path.ts";
import { selectFields } from "../../cli/projection/select-fields.ts";
import { unmatchedWords } from "../../cli/projection/unmatched-words.ts";

const run = { runId: "01", cost: { value: 0.1, currency: "USD" }, output: null, tags: [{ a: 1, b: 2 }, { a: 3 }] };

const selected = (fields: string, value: unknown = run) => selectFields(value, parseFieldPaths(fields)).value;

describe("--fields", () => {
  test.each<[string, string, unknown]>([
    ["a member", "runId", { runId: "01" }],
    ["members in the order asked for", "output,runId", { output: null, runId: "01" }],
    ["a member of a member, in the shape of the answer", "cost.value", { cost: { value: 0.1 } }],
    ["several of the same", "cost.currency,cost.value", { cost: { currency: "USD", value: 0.1 } }],
    ["a member and all of it", "cost.value,cost", { cost: { value: 0.1, currency: "USD" } }],
    ["members of each item of a list", "tags.b", { tags: [{ b: 2 }, {}] }],
    ["what is below null", "output.rows.name", { output: null }],
    ["spaces beside a comma", "runId, cost.value", { runId: "01", cost: { value: 0.1 } }],
  ])("takes %s", (_what, fields, expected) => {
    expect(selected(fields)).toEqual(expected);
    expect(JSON.stringify(selected(fields))).toBe(JSON.stringify(expected));
  });

  test("takes names with dots and commas behind a backslash", () => {
    expect(selected(String.raw`a\.b,c\,d`, { "a.b": 1, "c,d": 2, a: { b: 3 } })).toEqual({ "a.b": 1, "c,d": 2 });
  });

  test("says which names lead nowhere", () => {
    const { unmatched } = selectFields(run, parseFieldPaths("runId,cots,cost.vale,runId.x"));

    expect(unmatched).toEqual([["cots"], ["cost", "vale"], ["runId", "x"]]);
  });

  test.each([
    ["cots", 'There is no field "cots". Did you mean cost? There are: runId, cost, output, tags.'],
    ["cost.vale", 'There is no field "cost.vale". Did you mean cost.value? There are: cost.value, cost.currency.'],
    ["runId.first", 'There is no field "runId.first": runId has no fields.'],
  ])("names what there is beside %s", (path, words) => {
    const [first = [""] as const] = parseFieldPaths(path);

    expect(unmatchedWords(run, first)).toBe(words);
  });

  test.each(["", ",", "a,,b", "a.", ".a"])("a missing name is refused: %j", (text) => {
    expect(() => parseFieldPaths(text)).toThrow(RangeError);
  });

  test("gives nothing that was not there, and every path back as it was written", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.array(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), { minLength: 1 }),
        (value, names) => {
          const paths = names.map((path) => path.map((name) => name.trim() || "x"));
          const written = paths.map(fieldPathWords).join(",");

          const read = parseFieldPaths(written);
          const { value: selection, unmatched } = selectFields(value, read);

          expect(read).toEqual(paths);
          expect(isPartOf(selection, value)).toBe(true);
          expect(unmatched.every((path) => read.includes(path))).toBe(true);
        },
      ),
    );
  });

  test("all top members together are the whole", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ minLength: 1 }).filter((name) => name.trim() === name),
          fc.jsonValue(),
          { minKeys: 1 },
        ),
        (value) => {
          const paths = Object.keys(value).map((name): [string] => [name]);

          expect(selectFields(value, paths)).toEqual({ value, unmatched: [] });
        },
      ),
    );
  });
});

/** Whether all of `part` stands in `whole`, at the same place. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) &&
      part.length === whole.length &&
      part.every((item, at) => isPartOf(item, whole[at]) || item === null)
    );
  }
  if (typeof part !== "object" || part === null || typeof whole !== "object" || whole === null) {
    return Object.is(part, whole) || part === null;
  }
  return Object.entries(part).every(
    ([name, member]) => Object.hasOwn(whole, name) && isPartOf(member, (whole as Record<string, unknown>)[name]),
  );
}
