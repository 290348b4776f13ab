import { isSchemaObject, type JsonSchema, resolveLocalRef } from "./json-schema-walk.ts";

const BYTES_IN_WORDS = "The file's bytes in base64.";

/** The form of a file in a multipart body, as an alternative to its base64 text. */
const FILE_OBJECT = {
  type: "object",
  description: "The file with its name and its media type.",
  required: ["base64"],
  properties: {
    base64: { type: "string", description: BYTES_IN_WORDS },
    filename: { type: "string", minLength: 1, maxLength: 255 },
    contentType: { type: "string", maxLength: 255, description: "Media type, such as image/png." },
  },
  additionalProperties: false,
} as const;

/**
 * True for a schema of bytes: `format: binary` or `contentEncoding: base64`, including behind a reference or in an
 * alternative.
 */
export function isFileSchema(root: JsonSchema, schema: unknown): boolean {
  return fileSchemaIn(root, schema) !== undefined;
}

/** The media type that the schema of a file names; undefined when it names none, or several. */
export function mediaTypeOfFile(root: JsonSchema, schema: unknown): string | undefined {
  const found = fileSchemaIn(root, schema)?.["contentMediaType"];
  return typeof found === "string" ? found : undefined;
}

/** The schema of a list's items. */
export function itemSchema(root: JsonSchema, schema: unknown): unknown {
  return allReadings(root, schema).find((one) => isSchemaObject(one["items"]))?.["items"];
}

function fileSchemaIn(root: JsonSchema, schema: unknown): JsonSchema | undefined {
  return allReadings(root, schema).find((one) => one["format"] === "binary" || one["contentEncoding"] === "base64");
}

/** The schema itself, the schemas that it refers to, and its parts and alternatives, each once. */
function allReadings(root: JsonSchema, schema: unknown, seen = new Set<unknown>()): JsonSchema[] {
  if (!isSchemaObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const referred = typeof schema["$ref"] === "string" ? [resolveLocalRef(root, schema["$ref"])] : [];
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((name) => (Array.isArray(schema[name]) ? schema[name] : []));
  return [schema, ...[...referred, ...parts].flatMap((part) => allReadings(root, part, seen))];
}

/** The schema of a multipart body, in which every file may be given with its name and its media type. */
export function withFileObjects(root: JsonSchema): JsonSchema {
  const properties = root["properties"];
  if (!isSchemaObject(properties)) return root;
  const widened = Object.entries(properties).map(([name, schema]) => [name, widenFile(root, schema)] as const);
  return { ...root, properties: Object.fromEntries(widened) };
}

function widenFile(root: JsonSchema, schema: unknown): unknown {
  if (!isSchemaObject(schema)) return schema;
  if (isFileSchema(root, schema)) return orFileObject(schema);
  const items = schema["items"];
  return isSchemaObject(items) && isFileSchema(root, items) ? { ...schema, items: orFileObject(items) } : schema;
}

function orFileObject(schema: JsonSchema): JsonSchema {
  const { description, ...bytes } = schema;
  return {
    ...(description !== undefined && { description }),
    anyOf: [{ ...bytes, description: BYTES_IN_WORDS }, FILE_OBJECT],
  };
}
