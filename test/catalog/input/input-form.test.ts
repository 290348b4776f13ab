import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalizeInput } from "../../../daemon/catalog/input/input-validation.ts";

const target = {
  request: { method: "POST" as const, path: "/x/{city}" },
  input: {
    pathParams: { type: "object", properties: { city: {}, both: {} } },
    queryParams: { type: "object", properties: { days: {}, units: {} } },
    body: { type: "object", properties: { title: {}, both: {} } },
  },
};
const getTarget = { request: { method: "GET" as const }, input: { queryParams: target.input.queryParams } };

describe("an input in either form becomes composite", () => {
  test.each([
    ["no input", undefined, {}],
    ["an empty one", {}, {}],
    [
      "composite",
      { queryParams: { days: 2 }, body: { title: "a" } },
      { queryParams: { days: 2 }, body: { title: "a" } },
    ],
    ["composite with an empty part", { pathParams: {}, queryParams: { days: 2 } }, { queryParams: { days: 2 } }],
    ["flat", { city: "Lisbon", days: 2 }, { pathParams: { city: "Lisbon" }, queryParams: { days: 2 } }],
    [
      "flat with a key that nobody declares, to a POST",
      { city: "x", other: 1 },
      { pathParams: { city: "x" }, body: { other: 1 } },
    ],
    ["flat with a key called body", { body: 1, days: 2 }, { body: { body: 1 }, queryParams: { days: 2 } }],
  ])("%s", (_title, input, expected) => {
    expect(normalizeInput(target, input)).toEqual(expected);
  });
});

describe("an input that has no one meaning is refused with what to do", () => {
  test.each([
    [
      "a key that two places declare",
      target,
      { both: "x" },
      'input.both could mean pathParams or body: choose one with the composite form {"pathParams": {"both": "x"}} or {"body": {"both": "x"}}',
    ],
    [
      "a key that nobody declares, to a GET",
      getTarget,
      { day: 2 },
      'input.day is not a parameter of this endpoint; did you mean "days"?',
    ],
    [
      "a far-off key",
      getTarget,
      { zzzzzz: 2 },
      "input.zzzzzz is not a parameter of this endpoint; it takes days, units",
    ],
    ["a part that is no object", target, { body: [1] }, "input.body must be a JSON object of parameters"],
    ["a list", target, [1], "input must be a JSON object of the endpoint's parameters"],
  ])("%s", (_title, endpoint, input, message) => {
    expect(() => normalizeInput(endpoint, input)).toThrow(message);
  });
});

const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
const part = (...names: string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });

test("the flat form means the same as the composite form, and a normalised input stays as it is", () => {
  fc.assert(
    fc.property(part("city"), part("days", "units"), part("title"), (pathParams, queryParams, body) => {
      const composite = normalizeInput(target, { pathParams, queryParams, body });

      expect(normalizeInput(target, { ...pathParams, ...queryParams, ...body })).toEqual(composite);
      expect(normalizeInput(target, composite)).toEqual(composite);
    }),
    { numRuns: 500 },
  );
});

test("no JSON object makes it do anything but answer or refuse", () => {
  fc.assert(
    fc.property(fc.object({ withNullPrototype: false }), (input) => {
      const text = JSON.stringify(input);
      let result: unknown;
      try {
        result = normalizeInput(target, JSON.parse(text));
      } catch (error) {
        expect(error).toMatchObject({ status: 400 });
        return;
      }
      expect(Object.keys(result as object).every((key) => key in target.input)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
