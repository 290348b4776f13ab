import {
  allSchemas,
  childSchemas,
  isSchemaObject,
  type JsonSchema,
  resolveLocalRef,
} from "../../manifest/json-schema-walk.ts";

/** Schemas under these keywords may fail to match, and the defaults filled in for them would remain in the input. */
const TRIED = ["anyOf", "oneOf", "not", "if", "contains", "propertyNames"];

/**
 * The schemas whose defaults must not be filled in, because a branch that is only tried refers to them. Ajv ignores
 * defaults inside a branch itself, but not those behind a reference: a user's message would get the role of an
 * assistant while it is tried as one. A definition that is also used outside of branches gets no defaults there either.
 */
export function triedSchemas(root: JsonSchema): ReadonlySet<JsonSchema> {
  const tried = new Set<JsonSchema>();
  const open = allSchemas(root).flatMap(branchesOf);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (tried.has(next)) continue;
    tried.add(next);
    open.push(...childSchemas(next).map(({ schema }) => schema));
    const target = typeof next["$ref"] === "string" ? resolveLocalRef(root, next["$ref"]) : undefined;
    if (isSchemaObject(target)) open.push(target);
  }
  return tried;
}

function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  return TRIED.flatMap((word) => (Array.isArray(schema[word]) ? (schema[word] as unknown[]) : [schema[word]])).filter(
    isSchemaObject,
  );
}
