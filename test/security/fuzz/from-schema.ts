import fc from "fast-check";
import { nameIn, type Schema } from "./document.ts";
import { anyCharacter } from "../../support/any-text.ts";

/** Values for a member by its name, where any text would lead nowhere: ids, slugs, words to search for. */
export type NamedValues = (name: string) => fc.Arbitrary<unknown> | undefined;

export interface SchemaSurroundings {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly named: NamedValues;
}

/** Below so many objects in objects only what is required is made, so that schemas which name themselves come to an end. */
const MAX_DEPTH = 5;
/** Longest text and list that are made as valid ones; what is longer is a matter of `spoil.ts`. */
const [MAX_TEXT, MAX_LIST] = [40, 4];

/** Values that the schema allows, or that `named` has for a member. Not for schemas with keywords that the document has not. */
export function valuesOf(schema: Schema, surroundings: SchemaSurroundings, depth = 0): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    const found = surroundings.schemas[nameIn(schema.$ref)];
    if (found === undefined) throw new Error(`the document has no ${schema.$ref}`);
    return valuesOf(found, surroundings, depth);
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) {
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    const merged = alternatives.map((one) => valuesOf(both(rest, one), surroundings, depth));
    return fc.oneof(...merged);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const { type } = schema;
  if (typeof type === "object") {
    return fc.oneof(...type.map((one) => valuesOf({ ...schema, type: one }, surroundings, depth)));
  }
  switch (type) {
    case "string":
      return textsOf(schema);
    case "integer":
      return integersOf(schema);
    case "number":
      return numbersOf(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valuesOf(schema.items ?? {}, surroundings, depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? MAX_LIST, MAX_LIST)),
      });
    case "object":
      return objectsOf(schema, surroundings, depth);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

/** An alternative beside what holds for all: `{anyOf: [{required: ["q"]}, …]}` narrows the object that it stands in. */
function both(rest: Schema, alternative: Schema): Schema {
  if (alternative.$ref !== undefined) return alternative;
  const required = [...(rest.required ?? []), ...(alternative.required ?? [])];
  return { ...rest, ...alternative, ...(required.length > 0 && { required }) };
}

function objectsOf(schema: Schema, surroundings: SchemaSurroundings, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const least = required.length === 0 && minProperties > 0 ? Object.keys(properties).slice(0, 1) : required;
  const members = Object.entries(properties).filter(([name]) => depth < MAX_DEPTH || least.includes(name));
  const known = fc.record(
    Object.fromEntries(members.map(([name, member]) => [name, valueOf(name, member, surroundings, depth)])),
    { requiredKeys: [...least] },
  );
  if (additionalProperties === false || members.length > 0) return known;
  const names = schema.propertyNames === undefined ? fc.string({ maxLength: 12 }) : textsOf(schema.propertyNames);
  const values = valuesOf(
    typeof additionalProperties === "object" ? additionalProperties : {},
    surroundings,
    depth + 1,
  );
  return fc.dictionary(names, values, { maxKeys: Math.min(schema.maxProperties ?? MAX_LIST, MAX_LIST) });
}

function valueOf(name: string, schema: Schema, surroundings: SchemaSurroundings, depth: number): fc.Arbitrary<unknown> {
  const any = valuesOf(schema, surroundings, depth + 1);
  const meant = surroundings.named(name);
  if (meant === undefined) return any;
  // Where one has a name, a list of such has it too.
  const fitting = schema.type === "array" ? meant.map((value) => (Array.isArray(value) ? value : [value])) : meant;
  return fc.oneof({ arbitrary: fitting, weight: 6 }, { arbitrary: any, weight: 1 });
}

function textsOf({ pattern, format, minLength = 0, maxLength = MAX_TEXT }: Schema): fc.Arbitrary<string> {
  if (format === "date-time") {
    const [min, max] = [new Date("2020-01-01"), new Date("2035-01-01")];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (format === "uri") return fc.webUrl();
  const longest = Math.max(minLength, Math.min(maxLength, MAX_TEXT));
  if (pattern !== undefined) {
    const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
    return fc.stringMatching(new RegExp(pattern), { size: "small" }).filter(fits);
  }
  // Any character but halves of a pair: those are no text, and stand in `spoil.ts`.
  return fc.string({
    minLength,
    maxLength: longest,
    unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), anyCharacter),
  });
}

function integersOf({ minimum, exclusiveMinimum, maximum = 2 ** 31 }: Schema): fc.Arbitrary<number> {
  const min = minimum ?? (exclusiveMinimum === undefined ? -(2 ** 31) : Math.floor(exclusiveMinimum) + 1);
  const max = Math.max(min, maximum);
  return fc.oneof(fc.integer({ min, max: Math.min(max, min + 20) }), fc.integer({ min, max }));
}

function numbersOf({ minimum = -1e9, maximum = 1e9 }: Schema): fc.Arbitrary<number> {
  const cents = fc.integer({ min: 0, max: 500 }).map((value) => value / 100);
  const fits = (value: number) => value >= minimum && value <= maximum;
  return fc.oneof(
    { arbitrary: fc.double({ min: minimum, max: maximum, noNaN: true }), weight: 1 },
    { arbitrary: fits(0) && fits(5) ? cents : fc.constant(minimum), weight: 4 },
  );
}
