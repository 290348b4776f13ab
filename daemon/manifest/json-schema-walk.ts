import type { DocumentPath } from "./document-path.ts";
import { isRecord } from "../../shared/is-record.ts";
import { valueAt } from "../../shared/value-at.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

const MAPS_OF_SCHEMAS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"] as const;
const LISTS_OF_SCHEMAS = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;
const SINGLE_SCHEMAS = [
  "items",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "propertyNames",
  "contentSchema",
] as const;

/** Most schemas are leaves, which have none of these: asking for their own few members is faster than for every keyword. */
const APPLICATORS: ReadonlySet<string> = new Set<string>([...MAPS_OF_SCHEMAS, ...LISTS_OF_SCHEMAS, ...SINGLE_SCHEMAS]);

/** Keywords whose subschemas apply to the same value as the schema itself, not to a part of it. */
export const IN_PLACE_APPLICATORS = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"] as const;

export interface Subschema {
  readonly schema: JsonSchema;
  readonly path: DocumentPath;
}

/** The schemas directly inside a schema, each with its location. Values under `enum`, `const` and the like are data. */
export function childSchemas(schema: JsonSchema): Subschema[] {
  const found: Subschema[] = [];
  if (isLeaf(schema)) return found;
  const add = (value: unknown, path: DocumentPath) => {
    if (isSchemaObject(value)) found.push({ schema: value, path });
  };
  for (const keyword of MAPS_OF_SCHEMAS) {
    const map = schema[keyword];
    if (isSchemaObject(map)) for (const [name, value] of Object.entries(map)) add(value, [keyword, name]);
  }
  for (const keyword of LISTS_OF_SCHEMAS) {
    const list = schema[keyword];
    if (Array.isArray(list)) list.forEach((value, index) => add(value, [keyword, index]));
  }
  for (const keyword of SINGLE_SCHEMAS) add(schema[keyword], [keyword]);
  return found;
}

/** A schema and all schemas in it, at any depth. */
export function allSchemas(schema: JsonSchema): JsonSchema[] {
  return [schema, ...childSchemas(schema).flatMap((child) => allSchemas(child.schema))];
}

/** A copy in which `change` has replaced every schema, starting from the innermost; data is not changed. */
export function mapSchemas(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const copy: Record<string, unknown> = { ...change(schema) };
  if (isLeaf(copy)) return copy;
  const mapOne = (value: unknown) => (isSchemaObject(value) ? mapSchemas(value, change) : value);
  for (const keyword of MAPS_OF_SCHEMAS) {
    const map = copy[keyword];
    if (isSchemaObject(map)) {
      copy[keyword] = Object.fromEntries(Object.entries(map).map(([name, value]) => [name, mapOne(value)]));
    }
  }
  for (const keyword of LISTS_OF_SCHEMAS) {
    const list = copy[keyword];
    if (Array.isArray(list)) copy[keyword] = list.map(mapOne);
  }
  for (const keyword of SINGLE_SCHEMAS) if (Object.hasOwn(copy, keyword)) copy[keyword] = mapOne(copy[keyword]);
  return copy;
}

/**
 * The names of the properties that a schema declares, including through `$ref` into itself and through allOf, anyOf,
 * oneOf.
 */
export function declaredProperties(root: JsonSchema): Map<string, unknown> {
  const declared = new Map<string, unknown>();
  const seen = new Set<JsonSchema>();
  const visit = (schema: unknown): void => {
    if (!isSchemaObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    if (isSchemaObject(schema["properties"])) {
      for (const [name, value] of Object.entries(schema["properties"])) {
        if (!declared.has(name)) declared.set(name, value);
      }
    }
    if (typeof schema["$ref"] === "string") visit(resolveLocalRef(root, schema["$ref"]));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const list = schema[keyword];
      if (Array.isArray(list)) list.forEach(visit);
    }
    visit(schema["then"]);
    visit(schema["else"]);
  };
  visit(root);
  return declared;
}

/** The target of `#/a/b` inside a document; undefined when there is none. */
export function resolveLocalRef(root: unknown, ref: string): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  const names = ref.slice(2).split("/").map(decodePointerPart);
  return names.every((name) => name !== undefined) ? valueAt(root, names) : undefined;
}

export function isSchemaObject(value: unknown): value is JsonSchema {
  return isRecord(value);
}

function isLeaf(schema: JsonSchema): boolean {
  for (const keyword in schema) if (APPLICATORS.has(keyword)) return false;
  return true;
}

function decodePointerPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}
