import type { z } from "zod";
import { toWireSchema, type JsonSchema, type SchemaComponents } from "../../shared/openapi-schema.ts";

/** The schema of an object as an MCP tool lists it: whole in itself, its named parts under `$defs`. */
export function toToolSchema(schema: z.ZodObject): JsonSchema & { type: "object" } {
  const components: SchemaComponents = {};
  const own = toWireSchema(schema, components);
  const names = Object.keys(components);
  const whole = names.length === 0 ? own : { ...own, $defs: components };
  return { ...(standAlone(whole) as JsonSchema), type: "object" };
}

/** Refers to its own definitions, and goes without the contract's notes to those who implement it (`x-…`). */
function standAlone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(standAlone);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith("x-"))
      .map(([key, part]) => [
        key,
        key === "$ref" && typeof part === "string"
          ? part.replace("#/components/schemas/", "#/$defs/")
          : standAlone(part),
      ]),
  );
}
