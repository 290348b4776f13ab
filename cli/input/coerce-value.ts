import { refusedInput } from "../core/cli-error.ts";
import { isHeld } from "../../shared/json/held-number.ts";
import { isRecord } from "../../shared/is-record.ts";
import { parseGivenJson, unheldNumber } from "./parse-given-json.ts";
import { acceptedValues, type AcceptedValues, type JsonSchema, type JsonType } from "./json-schema-types.ts";

/** One word given for a field: text to read by the field's schema, or JSON that is already the value. */
export type GivenValue = { text: string } | { json: unknown };

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The value that the words given for one field mean.
 *
 * Text stays text wherever the schema takes text or says nothing. A field that takes a list gets one from a single word
 * too. Rejects with refused input that names the field, the rule and what came.
 */
export function coerceField(
  field: string,
  given: readonly GivenValue[],
  schema: unknown,
  root: JsonSchema | undefined,
): unknown {
  const accepted = acceptedValues(schema, root ?? {});
  const [first] = given;
  if (given.length === 1 && first !== undefined) return coerceOne(field, first, accepted, root);
  if (accepted.types.size > 0 && !accepted.types.has("array")) {
    throw refusedInput(`Input "${field}" takes one ${nameTypes(accepted)}, but it was given ${given.length} times.`);
  }
  return given.map((value) => coerceItem(field, value, accepted, root));
}

function coerceOne(field: string, given: GivenValue, accepted: AcceptedValues, root: JsonSchema | undefined): unknown {
  if ("json" in given) return given.json;
  const { text } = given;
  const listed = accepted.values.find((value) => typeof value !== "object" && String(value) === text);
  if (listed !== undefined) return listed;
  if (accepted.types.size === 0 || accepted.types.has("string")) return text;

  const scalar = readScalar(field, text, accepted.types);
  if (scalar !== undefined) return scalar.value;
  if (accepted.types.has("array")) {
    const parsed = text.trimStart().startsWith("[") ? parseJson(field, text) : undefined;
    return Array.isArray(parsed) ? parsed : [coerceItem(field, given, accepted, root)];
  }
  if (accepted.types.has("object")) {
    const parsed = parseJson(field, text);
    if (isRecord(parsed)) return parsed;
  }
  throw refusedInput(`Input "${field}" must be ${article(nameTypes(accepted))}, but "${text}" came.`);
}

function coerceItem(field: string, given: GivenValue, list: AcceptedValues, root: JsonSchema | undefined): unknown {
  const [item] = list.items;
  return coerceOne(field, given, acceptedValues(item, root ?? {}), root);
}

function readScalar(field: string, text: string, types: ReadonlySet<JsonType>): { value: unknown } | undefined {
  if (types.has("boolean") && (text === "true" || text === "false")) return { value: text === "true" };
  if (types.has("null") && text === "null") return { value: null };
  if ((types.has("number") || types.has("integer")) && numberText.test(text)) {
    const value = Number(text);
    if (!isHeld(text)) throw unheldNumber(`Input "${field}"`, text);
    if (types.has("number") && Number.isFinite(value)) return { value };
    if (Number.isSafeInteger(value)) return { value };
  }
  return undefined;
}

function parseJson(field: string, text: string): unknown {
  try {
    return parseGivenJson(text, `Input "${field}"`);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const typeNames: Readonly<Record<JsonType, string>> = {
  string: "text",
  number: "number",
  integer: "integer",
  boolean: "boolean (true or false)",
  null: "null",
  array: "list",
  object: "object in JSON",
};

function nameTypes({ types }: AcceptedValues): string {
  return [...types].map((type) => typeNames[type]).join(" or ");
}

function article(words: string): string {
  return words.startsWith("text") || words.startsWith("null")
    ? words
    : `${/^[aeio]/.test(words) ? "an" : "a"} ${words}`;
}
