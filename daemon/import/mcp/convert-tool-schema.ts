import { checkInputSchemas } from "../../catalog/checks/check-input-schemas.ts";
import { ProblemList } from "../../catalog/problems/catalog-problem.ts";
import { resolveInputSchemas } from "../../catalog/entries/input-schemas.ts";
import type { SchemaCompiler } from "../../catalog/input/schema-compiler.ts";
import { mapSchemas } from "../../manifest/json-schema-walk.ts";
import { ConversionMeter } from "../conversion/conversion-meter.ts";
import { SchemaConverter } from "../openapi/schema-conversion/convert-schema.ts";
import { type ManifestSchema, SHARED } from "../openapi/schemas/manifest-schema.ts";
import { ImportNotes } from "../conversion/import-notes.ts";
import { ReferenceResolver, UnusableReference } from "../openapi/document/reference-resolver.ts";
import { settleSchemas } from "../openapi/schemas/shared-schemas.ts";

export interface ToolSchemaTools {
  readonly meter: ConversionMeter;
  readonly notes: ImportNotes;
  readonly compiler: SchemaCompiler;
}

const ANYTHING: ManifestSchema = {
  type: "object",
  description: "Any arguments: what the server says of them could not be taken over.",
  additionalProperties: true,
};

/**
 * The `inputSchema` of a tool as `input.body`; undefined when it takes no arguments. A schema that a catalog would not
 * serve is replaced by one that allows any arguments, and noted: the server checks them anyway.
 */
export function convertInputSchema(name: string, schema: unknown, tools: ToolSchemaTools): ManifestSchema | undefined {
  const converted = convertSchema(schema, tools);
  const body = converted === undefined ? ANYTHING : { ...converted, type: "object" };
  if (takesNothing(body)) return undefined;
  const problems = new ProblemList("", () => undefined);
  checkInputSchemas(problems, [], resolveInputSchemas({ body }, {}), tools.compiler);
  if (converted !== undefined && problems.list().every(({ takesDown }) => takesDown === "nothing")) return body;
  tools.notes.add("arguments that could not be described are left to the server", name);
  return ANYTHING;
}

/**
 * A tool's schema, which is self-contained: its references point to its own `$defs`. Undefined when a reference cannot
 * be resolved.
 */
export function convertSchema(value: unknown, { meter, notes }: ToolSchemaTools): ManifestSchema | undefined {
  const description = { ref: "", sha256: "", value, siblings: new Map(), refused: new Map() };
  const resolver = new ReferenceResolver(description, meter);
  const converter = new SchemaConverter({ resolver, meter, notes, siblingsCount: true });
  try {
    const definition = (name: string) => converter.definition(name);
    const { sections, shared } = settleSchemas([converter.convert({ value, file: "" })], { definition, meter, notes });
    const [schema] = sections;
    if (schema === undefined || shared.size === 0) return schema;
    const definitions = [...shared].map(([name, inner]) => [name, toLocal(inner)] as const);
    return { ...toLocal(schema), $defs: Object.fromEntries(definitions) };
  } catch (error) {
    if (error instanceof UnusableReference) return undefined;
    throw error;
  }
}

function takesNothing({ properties, additionalProperties, ...others }: ManifestSchema): boolean {
  if (additionalProperties !== undefined && additionalProperties !== false) return false;
  if (Object.keys(properties ?? {}).length > 0) return false;
  return !["$ref", "allOf", "anyOf", "oneOf", "patternProperties"].some((word) => word in others);
}

function toLocal(schema: ManifestSchema): ManifestSchema {
  return mapSchemas(schema, (inner) => {
    const ref = inner["$ref"];
    return typeof ref === "string" ? { ...inner, $ref: `#/$defs/${ref.slice(SHARED.length)}` } : inner;
  });
}
