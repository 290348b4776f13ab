import type { JsonSchema } from "../../shared/openapi-schema.ts";

/** Values of an enum are listed when they are few. */
const MAX_ENUM_VALUES = 8;

type Definitions = Readonly<Record<string, JsonSchema>>;

/**
 * A schema in short: the members that are always there with their types, those of `optional` by name, and no descriptions;
 * the whole of it is in the contract, `GET /openapi.json`. Whatever the schema (with its parts under `$defs`) allows, this
 * one allows, too. Pure.
 */
export function briefSchema(
  schema: JsonSchema & { type: "object" },
  optional: readonly string[] = [],
): JsonSchema & { type: "object" } {
  const { properties = {}, ...brief } = shorten(schema, (schema["$defs"] ?? {}) as Definitions, 0);
  const others = Object.fromEntries(optional.map((name) => [name, {}]));
  return { ...brief, properties: { ...(properties as JsonSchema), ...others }, type: "object" };
}

/** Members are named at the top, and in the lists there. */
function shorten(schema: JsonSchema, definitions: Definitions, depth: number, isItem = false): JsonSchema {
  const { type, properties, required, items, enum: values } = resolve(schema, definitions);
  if (typeof type !== "string") return {};
  if (type === "array") return { type, ...itemsOf(items, definitions, depth) };
  if (type !== "object") return { type, ...(Array.isArray(values) && isShort(values) && { enum: values }) };
  const isNamed = depth === 0 || (isItem && depth === 1);
  if (!isNamed || typeof properties !== "object" || properties === null) return { type };
  const always = Array.isArray(required) ? (required as readonly string[]) : [];
  const told = Object.entries(properties as Definitions)
    .filter(([name]) => always.includes(name))
    .map(([name, member]) => [name, shorten(member, definitions, depth + 1)] as const);
  return {
    type,
    ...(told.length > 0 && { properties: Object.fromEntries(told) }),
    ...(always.length > 0 && { required }),
  };
}

function itemsOf(items: unknown, definitions: Definitions, depth: number): JsonSchema {
  if (typeof items !== "object" || items === null) return {};
  const brief = shorten(items as JsonSchema, definitions, depth, true);
  return Object.keys(brief).length === 0 ? {} : { items: brief };
}

function isShort(values: readonly unknown[]): boolean {
  return values.length <= MAX_ENUM_VALUES;
}

function resolve(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const { $ref: reference, ...beside } = schema;
  if (typeof reference !== "string") return schema;
  const named = definitions[reference.replace("#/$defs/", "")];
  return named === undefined ? {} : resolve({ ...named, ...beside }, definitions);
}
