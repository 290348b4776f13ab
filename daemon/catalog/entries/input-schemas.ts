import { INPUT_SECTIONS } from "../../manifest/input-sections.ts";
import type { EndpointInputSchemas } from "./catalog-entry.ts";
import {
  IN_PLACE_APPLICATORS,
  isSchemaObject,
  type JsonSchema,
  mapSchemas,
  childSchemas,
} from "../../manifest/json-schema-walk.ts";
import type { ManifestEndpoint } from "../../manifest/manifest.ts";

const SHARED = "#/schemas/";

/**
 * The input schemas of an endpoint, ready to be compiled and shown. They include the implied `type: object` and
 * `additionalProperties: false`, and the file's shared `schemas` that they refer to, under `$defs`.
 */
export function resolveInputSchemas(
  input: ManifestEndpoint["input"],
  shared: Readonly<Record<string, JsonSchema>>,
): EndpointInputSchemas {
  const resolved: { -readonly [section in keyof EndpointInputSchemas]: EndpointInputSchemas[section] } = {};
  for (const section of INPUT_SECTIONS) {
    const schema = input[section];
    if (schema !== undefined) resolved[section] = closeSchema(bundleShared(schema, shared));
  }
  return resolved;
}

function closeSchema(schema: JsonSchema): JsonSchema {
  const closed: Record<string, unknown> = { ...schema };
  closed["type"] ??= "object";
  if (!("additionalProperties" in closed) && !("unevaluatedProperties" in closed)) {
    // additionalProperties would not see what a $ref or an allOf declares.
    const keyword = IN_PLACE_APPLICATORS.some((name) => name in closed)
      ? "unevaluatedProperties"
      : "additionalProperties";
    closed[keyword] = false;
  }
  return closed;
}

/** The schema with the file's shared `schemas` that it refers to put under `$defs`. */
export function bundleShared(schema: JsonSchema, shared: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const wanted = new Set<string>();
  collectShared(schema, wanted);
  if (wanted.size === 0) return schema;
  for (const name of wanted) {
    const definition = Object.hasOwn(shared, name) ? shared[name] : undefined;
    if (definition !== undefined) collectShared(definition, wanted);
  }
  const own = isSchemaObject(schema["$defs"]) ? schema["$defs"] : {};
  const bundled = mapSchemas(schema, redirectRef);
  const definitions: Record<string, unknown> = { ...(isSchemaObject(bundled["$defs"]) ? bundled["$defs"] : {}) };
  for (const name of wanted) {
    const definition = Object.hasOwn(shared, name) ? shared[name] : undefined;
    if (definition !== undefined && !Object.hasOwn(own, name)) definitions[name] = mapSchemas(definition, redirectRef);
  }
  return { ...bundled, $defs: definitions };
}

function collectShared(schema: JsonSchema, wanted: Set<string>): void {
  const ref = schema["$ref"];
  if (typeof ref === "string" && ref.startsWith(SHARED)) wanted.add(ref.slice(SHARED.length).split("/", 1)[0] ?? "");
  for (const child of childSchemas(schema)) collectShared(child.schema, wanted);
}

function redirectRef(schema: JsonSchema): JsonSchema {
  const ref = schema["$ref"];
  if (typeof ref !== "string" || !ref.startsWith(SHARED)) return schema;
  return { ...schema, $ref: `#/$defs/${ref.slice(SHARED.length)}` };
}
