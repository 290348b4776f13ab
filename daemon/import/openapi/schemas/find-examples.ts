import { checkInput } from "../../../catalog/input/input-validation.ts";
import { resolveInputSchemas } from "../../../catalog/entries/input-schemas.ts";
import type { InputTarget } from "../../../catalog/input/input-form.ts";
import { isSmallExample } from "./small-data.ts";
import type { ManifestSchema } from "./manifest-schema.ts";
import { isRecord } from "../../../../shared/is-record.ts";

export interface ExampleParts {
  readonly name: string;
  readonly source: string;
  readonly input: Readonly<Record<"pathParams" | "queryParams" | "body", Readonly<Record<string, unknown>>>>;
  readonly response: { readonly status: number; readonly body: unknown } | undefined;
}

/**
 * One example with the document's own values, if they make a valid input for the endpoint and there is an answer to it.
 * Nothing is invented: a required field without an example means that there is none.
 */
export function findExample(
  parts: ExampleParts,
  endpoint: {
    readonly input: Readonly<Record<string, ManifestSchema>>;
    readonly request: InputTarget["request"];
    readonly schemas: Readonly<Record<string, ManifestSchema>>;
  },
): Readonly<Record<string, unknown>> | undefined {
  if (parts.response === undefined || !isSmallExample(parts.response.body)) return undefined;
  const given = Object.entries(parts.input).filter(([, section]) => Object.keys(section).length > 0);
  const input = Object.fromEntries(given);
  if (!isSmallExample(input)) return undefined;
  const target: InputTarget = {
    input: resolveInputSchemas(endpoint.input, endpoint.schemas),
    request: endpoint.request,
  };
  if (!fits(target, input)) return undefined;
  const { name, source, response } = parts;
  return { name, input, source, response };
}

function fits(target: InputTarget, input: Readonly<Record<string, unknown>>): boolean {
  try {
    return "input" in checkInput(target, input);
  } catch {
    // Too much work, or a schema that the dialect refuses: the catalog check reports that where it matters.
    return false;
  }
}

/** The examples of parameters by their names; a required one may have its example in its schema. */
export function exampleOfFields(
  fields: ReadonlyMap<string, ManifestSchema>,
  required: readonly string[],
  stated: ReadonlyMap<string, unknown>,
): Readonly<Record<string, unknown>> {
  const found = [...fields].map(([name, schema]) => {
    const inSchema: unknown = schema["examples"];
    const value =
      stated.get(name) ?? (required.includes(name) && Array.isArray(inSchema) ? (inSchema[0] as unknown) : undefined);
    return [name, value] as const;
  });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null));
}

/** The example of a whole body, otherwise those of its required fields. */
export function exampleOfBody(section: ManifestSchema, example: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(example)) return example;
  const properties = isRecord(section["properties"]) ? section["properties"] : {};
  const required = Array.isArray(section["required"]) ? (section["required"] as string[]) : [];
  return exampleOfFields(new Map(Object.entries(properties) as [string, ManifestSchema][]), required, new Map());
}
