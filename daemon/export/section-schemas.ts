import { INPUT_SECTIONS, type InputSection } from "../manifest/input-sections.ts";
import { IN_PLACE_APPLICATORS, isSchemaObject, type JsonSchema, mapSchemas } from "../manifest/json-schema-walk.ts";
import type { EndpointInputSchemas } from "../catalog/entries/catalog-entry.ts";

/** The sections that an endpoint takes, in order. */
export function sectionsOf(input: EndpointInputSchemas): (readonly [section: InputSection, schema: JsonSchema])[] {
  return INPUT_SECTIONS.flatMap((section) => {
    const schema = input[section];
    return schema === undefined ? [] : [[section, mapSchemas(schema, withSpokenDefault)] as const];
  });
}

/** `vendorDefault` is our own keyword: other readers get it in the description, which even a strict one accepts. */
function withSpokenDefault(schema: JsonSchema): JsonSchema {
  const { vendorDefault: value, ...rest } = schema;
  if (value === undefined) return schema;
  const words = `When left out, the provider takes ${typeof value === "string" ? value : JSON.stringify(value)}.`;
  const said = rest["description"];
  return { ...rest, description: typeof said === "string" && said !== "" ? `${said} ${words}` : words };
}

/** The input in composite form: an object of its sections; those with required fields are required. */
export function compositeSchema(
  sections: readonly (readonly [string, JsonSchema])[],
  needed: readonly string[],
): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(sections),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
}

/** The sections with a required field. */
export function neededSections(sections: readonly (readonly [string, JsonSchema])[]): string[] {
  return sections.flatMap(([section, schema]) => {
    const { required, minProperties } = schema;
    const isNeeded =
      (Array.isArray(required) && required.length > 0) || (typeof minProperties === "number" && minProperties > 0);
    return isNeeded ? [section] : [];
  });
}

/** A copy whose internal references start at another place of a larger document. */
export function rebaseReferences(schema: JsonSchema, place: string): JsonSchema {
  return mapSchemas(schema, (inner) => {
    const ref = inner["$ref"];
    return typeof ref === "string" && ref.startsWith("#") ? { ...inner, $ref: `${place}${ref.slice(1)}` } : inner;
  });
}

export function hasReferences(schema: JsonSchema): boolean {
  let found = false;
  mapSchemas(schema, (inner) => {
    found ||= typeof inner["$ref"] === "string";
    return inner;
  });
  return found;
}

/**
 * The input in flat form, which agents fill in more reliably: all fields in one object. Undefined when that would be
 * ambiguous: a field in two sections, one with the name of a section, or fields that are not listed as properties.
 */
export function flatSchema(sections: readonly (readonly [string, JsonSchema])[]): JsonSchema | undefined {
  const properties = new Map<string, unknown>();
  const required: unknown[] = [];
  for (const [, schema] of sections) {
    const isPlain = IN_PLACE_APPLICATORS.every((word) => !(word in schema)) && schema["additionalProperties"] === false;
    if (!isPlain || "patternProperties" in schema || hasReferences(schema)) return undefined;
    for (const [name, value] of Object.entries(isSchemaObject(schema["properties"]) ? schema["properties"] : {})) {
      if (properties.has(name) || (INPUT_SECTIONS as readonly string[]).includes(name)) return undefined;
      properties.set(name, value);
    }
    if (Array.isArray(schema["required"])) required.push(...(schema["required"] as unknown[]));
  }
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
