import { z } from "zod";

export type JsonSchema = Record<string, unknown>;

/** Schemas by component name, filled in by {@link toWireSchema}. */
export type SchemaComponents = Record<string, JsonSchema>;

/**
 * A schema in its wire format: JSON Schema 2020-12, with every named part in `components` and referred to by
 * `#/components/schemas/<name>`. Requests and answers share it, so defaults do not make a member required.
 */
export function toWireSchema(schema: z.ZodType, components: SchemaComponents): JsonSchema {
  const emitted = z.toJSONSchema(schema, {
    io: "input",
    target: "draft-2020-12",
    unrepresentable: "any",
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema),
  }) as JsonSchema;

  const { $defs: definitions = {}, ...own } = emitted;
  for (const [name, definition] of Object.entries(definitions as Record<string, JsonSchema>)) {
    components[name] ??= pointAtComponents(withoutNames(definition));
  }
  return pointAtComponents(withoutNames(own));
}

/** Removes what describes zod's checks and not the wire format, and writes the rest as the contract does. */
function tidy(schema: JsonSchema): void {
  const wire = schema["x-wire"];
  if (wire !== undefined) {
    const { description } = schema;
    for (const key of Object.keys(schema)) delete schema[key];
    Object.assign(schema, wire, description === undefined ? {} : { description });
  }
  if (schema["format"] === "date-time") delete schema["pattern"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (isEmpty(schema["additionalProperties"])) schema["additionalProperties"] = true;
  const names = schema["propertyNames"];
  if (typeof names === "object" && names !== null && Object.keys(names).join() === "type") {
    delete schema["propertyNames"];
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function withoutNames(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "id" && key !== "$schema"));
}

function pointAtComponents<T>(value: T): T {
  if (Array.isArray(value)) return value.map(pointAtComponents) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "$ref" && typeof part === "string"
        ? part.replace("#/$defs/", "#/components/schemas/")
        : pointAtComponents(part),
    ]),
  ) as T;
}
