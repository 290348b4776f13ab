import type { SchemaField } from "./schema-fields.ts";

const KIND_WORDS = {
  text: "",
  number: "a number",
  integer: "a whole number",
  boolean: "",
  choice: "",
  list: "one on each line",
  json: "as JSON",
} as const;

/** What a field takes, in words: `a whole number, 1 to 16, default 7`. */
export function limitsOf({ schema, kind, nullable, required }: SchemaField): string {
  const { minLength, maxLength, pattern, format, minItems, maxItems } = schema;
  return [
    KIND_WORDS[kind],
    rangeOf(schema),
    typeof minLength === "number" && minLength > 1 ? `${minLength} characters at least` : "",
    typeof maxLength === "number" ? `${maxLength} characters at most` : "",
    typeof minItems === "number" && minItems > 0 ? `${minItems} at least` : "",
    typeof maxItems === "number" ? `${maxItems} at most` : "",
    typeof pattern === "string" ? `like ${pattern}` : "",
    format === "date" ? "a day, such as 2026-11-23" : "",
    nullable && required ? "empty for none" : "",
    schema["default"] === undefined ? "" : `default ${JSON.stringify(schema["default"])}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: SchemaField["schema"]): string {
  if (minimum !== undefined && maximum !== undefined) return `${String(minimum)} to ${String(maximum)}`;
  return [
    minimum === undefined ? "" : `at least ${String(minimum)}`,
    maximum === undefined ? "" : `at most ${String(maximum)}`,
    exclusiveMinimum === undefined ? "" : `more than ${String(exclusiveMinimum)}`,
    exclusiveMaximum === undefined ? "" : `less than ${String(exclusiveMaximum)}`,
  ]
    .filter((part) => part !== "")
    .join(" and ");
}
