import { describe, expect, test } from "vitest";
import { limitsOf } from "../../console/form/limits-words.ts";
import { fieldsOf, type InputValues, type JsonSchema } from "../../console/form/schema-fields.ts";
import { readInput, typedInput } from "../../console/form/typed-input.ts";

/* How a form is made of an input schema, and what is sent of it. */

const inQuery = (name: string, schema: JsonSchema, more: JsonSchema = {}) =>
  fieldsOf({ queryParams: { properties: { [name]: schema }, ...more } });

/** What one member becomes of a text: its value, or what is wrong. */
function read(schema: JsonSchema, text: string, required = false): unknown {
  const { input, problems } = readInput(inQuery("it", schema, required ? { required: ["it"] } : {}), {
    "queryParams.it": text,
  });
  return problems["queryParams.it"] ?? input["queryParams"]?.["it"];
}

describe("the control of a member", () => {
  test.each<[kind: string, schema: JsonSchema]>([
    ["text", { type: "string" }],
    ["text", { type: ["string", "null"] }],
    ["text", { anyOf: [{ type: "string" }, { type: "null" }], description: "of either" }],
    ["integer", { type: ["null", "integer"], minimum: 1 }],
    ["number", { type: "number" }],
    ["boolean", { type: "boolean" }],
    ["choice", { enum: ["a", "b", null] }],
    ["choice", { const: "one" }],
    ["list", { type: "array", items: { type: "string" } }],
    ["json", { type: "array", items: { type: "object" } }],
    ["json", { type: ["string", "number"] }],
    ["json", { type: "object" }],
    ["json", {}],
  ])("is a %s for %j", (kind, schema) => {
    expect(inQuery("it", schema)).toMatchObject([{ name: "it", kind, place: "member" }]);
  });

  test("follows references, also to something nullable", () => {
    const shared = { $defs: { City: { type: ["string", "null"], maxLength: 3 } } };

    const [field] = inQuery("it", { $ref: "#/$defs/City", description: "here" }, shared);

    expect(field).toMatchObject({ kind: "text", nullable: true, schema: { maxLength: 3, description: "here" } });
  });

  test("ends at references that lead in a circle", () => {
    const circle = { $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } };

    expect(inQuery("it", { $ref: "#/$defs/A" }, circle)).toMatchObject([{ kind: "json" }]);
  });

  test("of what is required stands first", () => {
    const properties = { b: { type: "string" }, a: { type: "string" } };

    expect(fieldsOf({ queryParams: { properties, required: ["a"] } }).map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

describe("a part of an input without named members", () => {
  test.each<JsonSchema>([{ type: "object" }, { oneOf: [{ properties: { a: {} } }] }, { additionalProperties: true }])(
    "is typed as JSON: %j",
    (body) => {
      const fields = fieldsOf({ body });

      expect(fields).toMatchObject([{ place: "part", kind: "json" }]);
      expect(readInput(fields, { "body part": '{"a": [1], "__proto__": 2}' }).input).toEqual({
        body: JSON.parse('{"a": [1], "__proto__": 2}') as object,
      });
      expect(readInput(fields, { "body part": "[1]" }).problems["body part"]).toMatch(/must be an object/);
      expect(readInput(fields, { "body part": "{" }).problems["body part"]).toMatch(/is not JSON/);
    },
  );

  test("that takes nothing has no control", () => {
    expect(
      fieldsOf({ body: { type: "object", additionalProperties: false }, queryParams: { properties: {} } }),
    ).toEqual([]);
  });

  test("takes further members beside the named ones where the schema says so", () => {
    const fields = fieldsOf({
      body: { properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
    });

    expect(readInput(fields, { "body.a": "x", "body others": '{"b": 2}' }).input).toEqual({ body: { a: "x", b: 2 } });
  });
});

test("the input of an earlier run is typed in whole, and comes out as it was", () => {
  const start: InputValues = {
    pathParams: { id: "a/b" },
    queryParams: { city: "São Paulo", tags: ["x", "y"], deep: { a: [1] }, unknown: true },
    body: { free: null },
  };
  const schemas = {
    pathParams: { properties: { id: { type: "string" } } },
    queryParams: {
      properties: {
        city: { type: "string" },
        tags: { type: "array", items: { type: "string" } },
        deep: { type: "object" },
        left: { type: "number" },
      },
    },
    body: { type: "object" },
  };
  const fields = fieldsOf(schemas, start);

  expect(readInput(fields, typedInput(fields, start))).toEqual({ input: start, problems: {} });
});

test("null, an empty text and an empty list of an earlier run come out as they were, and as new values once typed", () => {
  const start: InputValues = { queryParams: { note: null, text: "", tags: [], free: null, kind: null, left: "x" } };
  const properties = {
    note: { type: ["string", "null"] },
    text: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
    free: {},
    kind: { enum: ["a", null] },
    left: { type: "string" },
    never: { type: "string" },
  };
  const fields = fieldsOf({ queryParams: { properties, required: ["text"] } }, start);
  const typed = typedInput(fields, start);

  expect(readInput(fields, typed)).toEqual({ input: start, problems: {} });
  expect(readInput(fields, { ...typed, "queryParams.text": "a", "queryParams.left": "" }).input).toEqual({
    queryParams: { note: null, text: "a", tags: [], free: null, kind: null },
  });
});

test("numbers of an earlier run are typed in as their reader writes them", () => {
  const start: InputValues = { queryParams: { at: 13.405, tiny: 1.5e-7, list: [1.234, 2] } };
  const number = { type: "number" };
  const properties = { at: number, tiny: number, list: { type: "array", items: number } };
  const fields = fieldsOf({ queryParams: { properties } }, start);
  const typed = typedInput(fields, start, ",");

  expect(typed["queryParams.at"]).toBe("13,405");
  expect(readInput(fields, typed, ",")).toEqual({ input: start, problems: {} });
});

describe("what is typed", () => {
  test.each<[JsonSchema, string, unknown]>([
    [{ type: "string" }, " a ", " a "],
    [{ type: "integer" }, "7", 7],
    [{ type: "number" }, "-9.1393", -9.1393],
    [{ type: "number" }, "1e3", 1_000],
    [{ type: "boolean" }, "false", false],
    [{ enum: [1, 2] }, "2", 2],
    [{ enum: [{ a: 1 }] }, '{"a":1}', { a: 1 }],
    [{ type: "array", items: { type: "integer" } }, "1\n\n2\r\n", [1, 2]],
    [{ type: "object" }, '{"a":1}', { a: 1 }],
    [{ type: "string" }, "", undefined],
  ])("for %j as %j is sent as %j", (schema, text, value) => {
    expect(read(schema, text)).toEqual(value);
  });

  test("is null when nothing is typed for what is required and may be null", () => {
    expect(read({ type: ["string", "null"] }, "", true)).toBeNull();
  });

  test.each<[JsonSchema, string, RegExp]>([
    [{ type: "string", minLength: 2 }, "a", /2 characters at least/],
    [{ type: "string", maxLength: 1 }, "ab", /1 character at most/],
    [{ type: "string", pattern: "^[A-Z]{2}$" }, "de", /must look like/],
    [{ type: "string", format: "date" }, "2026-02-30", /must be a day/],
    [{ type: "integer" }, "1.5", /whole number/],
    [{ type: "integer" }, "0x10", /is not a number/],
    [{ type: "integer" }, "12345678901234567890", /more digits/],
    [{ type: "number", minimum: 0 }, "-1", /0 at least/],
    [{ type: "number", maximum: 9 }, "10", /9 at most/],
    [{ type: "number", exclusiveMinimum: 0 }, "0", /more than 0/],
    [{ type: "number", exclusiveMaximum: 1 }, "1", /less than 1/],
    [{ type: "integer", multipleOf: 5 }, "7", /multiple of 5/],
    [{ type: "array", items: { type: "integer" } }, "1\nx", /Line 2: “x” is not a number/],
    [{ type: "array", items: { type: "string" }, maxItems: 1 }, "a\nb", /1 line at most/],
    [{ type: "array", items: { type: "string" }, uniqueItems: true }, "a\na", /only once/],
    [{ type: "array", items: { type: "string", enum: ["a"] } }, "b", /Line 1: It must be one of a/],
    [{ type: "array" }, "{}", /must be a list/],
  ])("for %j as %j is refused with words", (schema, text, words) => {
    expect(read(schema, text)).toMatch(words);
  });

  test("that is required and not there is refused", () => {
    expect(read({ type: "string" }, "", true)).toBe("It is required.");
  });

  test("counts characters as people do: a flag of two halves is one", () => {
    expect(read({ type: "string", maxLength: 1 }, "😀")).toBe("😀");
  });

  test("is not held against a pattern that could keep the page busy for minutes: the service does that", () => {
    expect(read({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(40)}!`)).toBe(`${"a".repeat(40)}!`);
  });
});

test("the limits of a member are said in words", () => {
  const [field] = inQuery("it", { type: "integer", minimum: 1, maximum: 16, default: 7 });
  const [text] = inQuery("it", { type: "string", minLength: 2, maxLength: 5, pattern: "^a" });

  expect(field && limitsOf(field)).toBe("a whole number, 1 to 16, default 7");
  expect(text && limitsOf(text)).toBe("2 characters at least, 5 characters at most, like ^a");
});
