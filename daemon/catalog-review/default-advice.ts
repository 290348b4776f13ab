import { allSchemas, isSchemaObject, type JsonSchema } from "../manifest/json-schema-walk.ts";
import { INPUT_SECTIONS } from "../manifest/input-sections.ts";
import type { ManifestEndpoint } from "../manifest/manifest.ts";
import { valueFits } from "../import/openapi/schemas/value-fits.ts";

/** Beginnings of prose that describes what a provider does, in place of a value. */
const PROSE =
  /^(?:the|an?|all|any|no|not|none|if|when|same|current|today's|defaults?|depends|unlimited|whatever|based|taken|varies)\s+\p{L}/iu;
const WORDS_OF_A_SENTENCE = 6;

/** A harmful default: the field, and why. */
export interface DoubtfulDefault {
  /** Dotted path below `input`: `queryParams.date`. */
  readonly field: string;
  readonly message: string;
}

/** Defaults of an endpoint that are sent although they read like descriptions, or that are not valid inputs. */
export function doubtfulDefaults({ input }: ManifestEndpoint): DoubtfulDefault[] {
  return INPUT_SECTIONS.flatMap((section) =>
    allSchemas(input[section] ?? {}).flatMap((schema) =>
      Object.entries(isSchemaObject(schema["properties"]) ? schema["properties"] : {}).flatMap(([name, field]) => {
        const message = isSchemaObject(field) ? complain(field) : undefined;
        return message === undefined ? [] : [{ field: `${section}.${name}`, message }];
      }),
    ),
  );
}

function complain(schema: JsonSchema): string | undefined {
  const { default: value, ...rest } = schema;
  if (value === undefined) return undefined;
  const shown = JSON.stringify(value);
  if (!valueFits(value, rest)) {
    return `its default ${shown} does not fit its own schema: every call that leaves it out is refused; correct one of them`;
  }
  if (typeof value !== "string" || Array.isArray(rest["enum"])) return undefined;
  const isSentence = value.trim().split(/\s+/).length >= WORDS_OF_A_SENTENCE;
  if (!isSentence && !PROSE.test(value.trim())) return undefined;
  return `its default ${shown} is sent as it stands whenever the field is left out; where it only says what the provider does then, write vendorDefault in place of default`;
}
