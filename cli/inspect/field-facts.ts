import { acceptedValues, isSchema, type JsonSchema, schemaParts } from "../input/json-schema-types.ts";

/** What is known of one field of an input. */
export interface InputField {
  /** With the names around it: `address.city`, `points[].latitude`. */
  readonly name: string;
  readonly required: boolean;
  /** Of a schema's parts: what `$ref` and `allOf` bring, and the branches of `anyOf` and `oneOf`. */
  readonly schema: JsonSchema;
  readonly parts: readonly JsonSchema[];
  readonly root: JsonSchema;
}

/** Below the requested depth only required fields are shown, down to this depth: a schema may refer to itself. */
const DEEPEST_NEEDED = -4;

/**
 * The fields of an input, required ones first. Members of objects and of lists of objects follow them directly, down to
 * `depth`; below that only required ones.
 */
export function inputFields(schema: JsonSchema, depth: number): InputField[] {
  return membersOf(schema, schema, "", depth);
}

function membersOf(schema: JsonSchema, root: JsonSchema, prefix: string, depth: number): InputField[] {
  const parts = schemaParts(schema, root);
  const members = new Map<string, unknown>();
  for (const part of parts) {
    const properties = isSchema(part["properties"]) ? part["properties"] : {};
    for (const [name, member] of Object.entries(properties)) if (!members.has(name)) members.set(name, member);
  }
  const required = new Set(parts.flatMap((part) => (Array.isArray(part["required"]) ? part["required"] : [])));
  return [...members]
    .filter(([name]) => depth >= 0 || required.has(name))
    .toSorted(([a], [b]) => Number(required.has(b)) - Number(required.has(a)))
    .flatMap(([name, member]) => {
      const known = isSchema(member) ? member : {};
      const field: InputField = {
        name: prefix + name,
        required: required.has(name),
        schema: known,
        parts: schemaParts(known, root),
        root,
      };
      return [field, ...(goesOn(field, depth) ? innerFields(field, depth - 1) : [])];
    });
}

function goesOn({ required }: InputField, depth: number): boolean {
  return depth > 0 || (required && depth > DEEPEST_NEEDED);
}

function innerFields({ name, schema, root }: InputField, depth: number): InputField[] {
  const [items] = acceptedValues(schema, root).items;
  return items === undefined ? membersOf(schema, root, `${name}.`, depth) : membersOf(items, root, `${name}[].`, depth);
}
