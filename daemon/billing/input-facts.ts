import { declaredProperties, isSchemaObject, resolveLocalRef, type JsonSchema } from "../manifest/json-schema-walk.ts";

/** What the JSON Schema of an input says about one field, reduced to what prices need. */
export interface InputFacts {
  /** False if the input certainly has no such field. */
  readonly mayExist: boolean;
  /** All values that the field may have, if the schema lists them. */
  readonly values?: readonly unknown[];
  /** True when the quantity read from the field (a number, or the length of a list or text) has an upper limit. */
  readonly limited: boolean;
}

/**
 * Reads the facts about the field at `path` below one section's schema. References into the schema itself are followed. A
 * field whose own name has dots in it comes first, as it does in `readInput`.
 */
export function readInputFacts(root: JsonSchema | undefined, path: readonly string[]): InputFacts {
  if (root === undefined) return { mayExist: false, limited: false };
  let schemas = together(root, root);
  const whole = path.join(".");
  for (const name of declaredProperties(root).has(whole) ? [whole] : path) {
    const found = schemas.flatMap((schema) => {
      const properties = schema["properties"];
      const property = isSchemaObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
      return property === undefined ? [] : together(root, property);
    });
    if (found.length === 0) return { mayExist: schemas.some(isOpen), limited: false };
    schemas = found;
  }
  const values = schemas.map(listedValues).find((list) => list !== undefined);
  return {
    mayExist: true,
    ...(values !== undefined && { values }),
    limited: schemas.some((schema) => isLimited(root, schema)),
  };
}

/** A schema and all schemas that apply together with it: those that it refers to, and its `allOf`. */
function together(root: JsonSchema, schema: unknown, seen = new Set<unknown>()): JsonSchema[] {
  if (!isSchemaObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const referred = typeof schema["$ref"] === "string" ? [resolveLocalRef(root, schema["$ref"])] : [];
  const all = Array.isArray(schema["allOf"]) ? schema["allOf"] : [];
  return [schema, ...[...referred, ...all].flatMap((part) => together(root, part, seen))];
}

/** True when fields may be declared where we do not look: in alternatives and conditions, or by being open. */
function isOpen(schema: JsonSchema): boolean {
  const elsewhere = ["anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"].some((name) => name in schema);
  const openEnd = schema["additionalProperties"] ?? schema["unevaluatedProperties"];
  return elsewhere || openEnd === true || isSchemaObject(openEnd);
}

function listedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  if ("const" in schema) return [schema["const"]];
  return schema["type"] === "boolean" ? [true, false] : undefined;
}

function isLimited(root: JsonSchema, schema: JsonSchema): boolean {
  if (["maximum", "exclusiveMaximum", "maxItems", "maxLength"].some((name) => typeof schema[name] === "number"))
    return true;
  if (listedValues(schema)?.every((value) => typeof value === "number" || typeof value === "string") === true)
    return true;
  return ["anyOf", "oneOf"].some((name) => {
    const alternatives = schema[name];
    return (
      Array.isArray(alternatives) &&
      alternatives.length > 0 &&
      alternatives.every((one) => together(root, one).some((part) => isLimited(root, part)))
    );
  });
}
