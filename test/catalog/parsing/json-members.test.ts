import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonMembers } from "../../../daemon/catalog/parsing/json-members.ts";
import { parseCatalogText } from "../../../daemon/catalog/parsing/parse-catalog-text.ts";

function placesOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  const here = Number.isInteger(path.at(-1)) || path.length === 0 ? [path] : [];
  if (Array.isArray(value)) return [...here, ...value.flatMap((item, index) => placesOf(item, [...path, index]))];
  if (typeof value !== "object" || value === null) return here;
  const members = Object.entries(value).flatMap(([name, item]) => [
    [...path, name],
    ...placesOf(item, [...path, name]),
  ]);
  return [...here, ...members];
}

test("every place of any JSON text is found, in its order", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      // Names that are numbers stand first in an object, once it was parsed.
      const parsed = JSON.parse(text) as unknown;

      const found = Array.from(jsonMembers(JSON.stringify(parsed, null, indent)), ({ path }) => path());

      expect(found).toEqual(placesOf(parsed));
    }),
    { numRuns: 500 },
  );
});

test("places and lines are those of the text, whatever stands in its strings", async () => {
  const text = '{\n "a": [1,\n  {"b\\"": "}],{"}],\n "c": {\n  "d": "\\\\" }\n}';

  const parsed = await parseCatalogText(text, "x.json");
  if ("problems" in parsed) throw new Error("refused");
  const line = (...path: (string | number)[]) => parsed.lineOf(path);

  expect([line(), line("a"), line("a", 0), line("a", 1), line("a", 1, 'b"'), line("c"), line("c", "d")]).toEqual([
    1, 2, 2, 3, 3, 4, 5,
  ]);
  expect(line("c", "nothing", "there")).toBe(4);
});

test.each([
  ["a name twice", '{"a": {"b": 1,\n "b": 2}}', "duplicate", 2],
  ["a name twice, spelled in two ways", '{"a": 1,\n "\\u0061": 2}', "duplicate", 2],
  ["a forbidden name", '{"a":\n {"__proto__": 1}}', "key", 2],
  ["a number without end", '{"a": 1e999}', "number", undefined],
])("JSON with %s is refused with its line", async (_title, text, rule, line) => {
  const parsed = await parseCatalogText(text, "x.json");

  expect(parsed).toMatchObject({ problems: [{ rule, ...(line !== undefined && { line }) }] });
});
