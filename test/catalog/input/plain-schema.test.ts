import fc from "fast-check";
import { expect, test } from "vitest";
import { isPlainSchema } from "../../../daemon/catalog/input/plain-schema.ts";
import { explainEndlessReference } from "../../../daemon/catalog/checks/endless-reference.ts";
import { explainUnusablePattern } from "../../../daemon/catalog/input/linear-pattern.ts";
import { SchemaCompiler } from "../../../daemon/catalog/input/schema-compiler.ts";
import { allSchemas, type JsonSchema } from "../../../daemon/manifest/json-schema-walk.ts";

const word = fc.constantFrom(
  ..."type enum const default examples title description format deprecated readOnly writeOnly required minimum maximum".split(
    " ",
  ),
  ..."exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems minProperties maxProperties".split(" "),
  ..."uniqueItems properties items additionalProperties allOf anyOf oneOf not multipleOf x-of-ours contains".split(" "),
  ..."pattern $ref $defs unevaluatedProperties propertyNames prefixItems contentEncoding contentMediaType".split(" "),
);
const typeName = fc.constantFrom("object", "array", "string", "integer", "number", "boolean", "null", "text");
const special = fc.constantFrom("#/$defs/A", "#/$defs/a/b", "^[a-z]+$", "(", "(?=a)b");
const leaf = fc.oneof(
  typeName,
  special,
  fc.boolean(),
  fc.integer({ min: -2, max: 5 }),
  fc.constant(1.5),
  fc.constant(null),
  fc.array(typeName, { maxLength: 3 }),
);
const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.dictionary(
    word,
    fc.oneof(
      { weight: 4, arbitrary: leaf },
      tie("schema"),
      fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(tie("schema"), leaf), { maxKeys: 2 }),
      fc.array(fc.oneof(tie("schema"), leaf), { maxLength: 2 }),
    ),
    { maxKeys: 4 },
  ),
}));

test("what passes for a plain schema is one by the dialect's own schema", () => {
  const compiler = new SchemaCompiler();
  let plain = 0;

  fc.assert(
    fc.property(schema, (value) => {
      if (!isPlainSchema(value)) return;
      plain += 1;
      // With a word that the dialect does not know the schema means the same, and is no longer plain.
      expect(compiler.explainInvalid({ ...value, "x-not-plain": true })).toBeUndefined();
    }),
    { numRuns: 20_000 },
  );

  expect(plain).toBeGreaterThan(1_000);
});

test("what passes for a plain schema compiles, once its references lead somewhere", () => {
  const compiler = new SchemaCompiler();
  let plain = 0;

  fc.assert(
    fc.property(schema, schema, (value, target) => {
      const section = { type: "object", properties: { a: value }, $defs: { A: target } };
      const endless = explainEndlessReference(section);
      if (!isPlainSchema(section) || endless !== undefined || !patternsOf(section).every(isUsable)) return;
      plain += 1;
      expect(() => compiler.compile(section, { thorough: false })({})).not.toThrow();
    }),
    { numRuns: 10_000 },
  );

  expect(plain).toBeGreaterThan(100);
});

function patternsOf(root: JsonSchema): unknown[] {
  return allSchemas(root).flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]));
}

function isUsable(pattern: unknown): boolean {
  return explainUnusablePattern(String(pattern)) === undefined;
}

test.each([
  ["a pattern that is none", { type: "string", pattern: "(" }],
  ["a reference into a definition", { $ref: "#/$defs/A/properties/b" }],
  ["a reference to another file", { $ref: "other.json" }],
  ["a list of no values, which does not compile", { enum: [] }],
  ["a word of nobody", { maximun: 3 }],
  ["a bad value deep inside", { type: "object", properties: { a: { items: { minimum: "1" } } } }],
  ["a list of no types", { type: [] }],
])("%s is left to the dialect's own schema", (_title, value) => {
  expect(isPlainSchema(value)).toBe(false);
});
