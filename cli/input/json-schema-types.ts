import { isRecord } from "../../shared/is-record.ts";
/** A JSON Schema as it comes from the service: untrusted, read only for its types. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** What a schema says about the values it takes; empty sets mean that it does not say. */
export interface AcceptedValues {
  types: ReadonlySet<JsonType>;
  /** Values of `enum` and `const`. */
  values: readonly unknown[];
  /** Schemas of an array's items. */
  items: readonly JsonSchema[];
}

const jsonTypes: readonly string[] = ["string", "number", "integer", "boolean", "null", "array", "object"];
const deepestReference = 16;

/**
 * Gathers types, listed values and item schemas over `$ref`, `allOf`, `anyOf` and `oneOf`. Not a validation: the
 * service validates, this decides only how a word on the command line is to be read.
 */
export function acceptedValues(schema: unknown, root: JsonSchema): AcceptedValues {
  const types = new Set<JsonType>();
  const values: unknown[] = [];
  const items: JsonSchema[] = [];
  visit(schema, 0);
  return { types, values, items };

  function visit(part: unknown, depth: number): void {
    if (!isSchema(part) || depth > deepestReference) return;
    for (const type of Array.isArray(part["type"]) ? part["type"] : [part["type"]]) {
      if (isJsonType(type)) types.add(type);
    }
    if (Array.isArray(part["enum"])) values.push(...part["enum"]);
    if ("const" in part) values.push(part["const"]);
    if (isSchema(part["items"])) items.push(part["items"]);
    if (typeof part["$ref"] === "string") visit(resolvePointer(part["$ref"], root), depth + 1);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const branches = part[keyword];
      if (Array.isArray(branches)) for (const branch of branches) visit(branch, depth + 1);
    }
  }
}

/** A schema and all that it is made of: what it refers to, and the branches of `allOf`, `anyOf` and `oneOf`. */
export function schemaParts(schema: unknown, root: JsonSchema): JsonSchema[] {
  const parts: JsonSchema[] = [];
  visit(schema, 0);
  return parts;

  function visit(part: unknown, depth: number): void {
    if (!isSchema(part) || depth > deepestReference || parts.includes(part)) return;
    parts.push(part);
    if (typeof part["$ref"] === "string") visit(resolvePointer(part["$ref"], root), depth + 1);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const branches = part[keyword];
      if (Array.isArray(branches)) for (const branch of branches) visit(branch, depth + 1);
    }
  }
}

/** The schemas of an object's members, by name, over local references and combinations. */
export function memberSchemas(schema: JsonSchema | undefined): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>();
  if (schema !== undefined) visit(schema, 0);
  return members;

  function visit(part: unknown, depth: number): void {
    if (!isSchema(part) || schema === undefined || depth > deepestReference) return;
    if (isSchema(part["properties"])) {
      for (const [name, member] of Object.entries(part["properties"]))
        if (!members.has(name)) members.set(name, member);
    }
    if (typeof part["$ref"] === "string") visit(resolvePointer(part["$ref"], schema), depth + 1);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const branches = part[keyword];
      if (Array.isArray(branches)) for (const branch of branches) visit(branch, depth + 1);
    }
  }
}

export function isSchema(value: unknown): value is JsonSchema {
  return isRecord(value);
}

function isJsonType(value: unknown): value is JsonType {
  return typeof value === "string" && jsonTypes.includes(value);
}

/** A reference into the document itself, such as `#/$defs/City`; all others are unknown. */
function resolvePointer(reference: string, root: JsonSchema): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = decodeStep(step);
    found = isSchema(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}
