import {
  allSchemas,
  childSchemas,
  isSchemaObject,
  type JsonSchema,
  resolveLocalRef,
} from "../../manifest/json-schema-walk.ts";

const ABOUT_THE_SAME_VALUE: ReadonlySet<unknown> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

/**
 * How to fix a schema that refers back to itself for the same value, so that checking would never end; undefined when
 * every cycle goes through a part of the value. Expects every reference to resolve.
 */
export function explainEndlessReference(root: JsonSchema): string | undefined {
  const state = new Map<JsonSchema, "open" | "closed">();
  const visit = (schema: JsonSchema): string | undefined => {
    state.set(schema, "open");
    for (const { target, ref } of aboutTheSameValue(root, schema)) {
      if (state.get(target) === "open") {
        const shown = ref?.replace("#/$defs/", "#/schemas/") ?? "a schema";
        return `${shown} refers to itself for the same value, so that checking would never end; put a property or items between`;
      }
      const found = state.has(target) ? undefined : visit(target);
      if (found !== undefined) return found;
    }
    state.set(schema, "closed");
    return undefined;
  };
  for (const schema of allSchemas(root)) {
    const found = state.has(schema) ? undefined : visit(schema);
    if (found !== undefined) return found;
  }
  return undefined;
}

function aboutTheSameValue(
  root: JsonSchema,
  schema: JsonSchema,
): { readonly target: JsonSchema; readonly ref?: string }[] {
  const ref = schema["$ref"];
  const referred = typeof ref === "string" ? resolveLocalRef(root, ref) : undefined;
  const inPlace = childSchemas(schema)
    .filter((child) => ABOUT_THE_SAME_VALUE.has(child.path[0]))
    .map((child) => ({ target: child.schema }));
  return typeof ref === "string" && isSchemaObject(referred) ? [{ target: referred, ref }, ...inPlace] : inPlace;
}
