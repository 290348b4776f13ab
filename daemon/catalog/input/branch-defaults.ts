import {
  allSchemas,
  childSchemas,
  isSchemaObject,
  type JsonSchema,
  resolveLocalRef,
} from "../../manifest/json-schema-walk.ts";

/** Schemas in these are tried and may not hold: what is filled in for them would stay in the input all the same. */
const TRIED = ["anyOf", "oneOf", "not", "if", "contains", "propertyNames"];

/**
 * The schemas whose defaults must not be filled in, because a branch that is only tried refers to them. Ajv leaves out the
 * defaults that stand in a branch itself, and not those behind a reference: a message of a user would get the role of an
 * assistant while it is tried as one. A definition that is also used outside of branches fills nothing in either.
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
