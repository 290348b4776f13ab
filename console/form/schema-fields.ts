/** A JSON Schema, as an endpoint has it for a part of its input. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice" | "list" | "json";

/** One control of a form. */
export interface SchemaField {
  /** The part of the input that it belongs to, and its name there. */
  readonly part: InputPart;
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly options: readonly unknown[];
}

export const inputParts = ["pathParams", "queryParams", "body"] as const;
export type InputPart = (typeof inputParts)[number];

/** The controls of an input, required ones first. What has no control of its own is typed as JSON. Pure. */
export function fieldsOf(input: Readonly<Partial<Record<InputPart, JsonSchema | undefined>>>): readonly SchemaField[] {
  const fields = inputParts.flatMap((part) => {
    const schema = input[part];
    if (schema === undefined) return [];
    const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
    return Object.entries(membersOf(schema)).map(([name, member]): SchemaField => {
      const one = isSchema(member) ? member : {};
      return { part, name, schema: one, required: required.includes(name), ...kindOf(one) };
    });
  });
  return fields.toSorted((a, b) => Number(b.required) - Number(a.required));
}

function membersOf(schema: JsonSchema): Readonly<Record<string, unknown>> {
  return isSchema(schema["properties"]) ? schema["properties"] : {};
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(schema: JsonSchema): { kind: FieldKind; options: readonly unknown[] } {
  const listed = schema["enum"];
  if (Array.isArray(listed) && listed.length <= 200) return { kind: "choice", options: listed };
  const { type } = schema;
  if (type === "string") return { kind: "text", options: [] };
  if (type === "number" || type === "integer" || type === "boolean") return { kind: type, options: [] };
  const { items } = schema;
  if (type === "array" && isSchema(items) && ["string", "number", "integer"].includes(String(items["type"]))) {
    return { kind: "list", options: [] };
  }
  return { kind: "json", options: [] };
}

/** What is typed, as the value that is sent; undefined when nothing is. Throws with what is wrong, in words. */
export function readField({ kind, required, schema, options }: SchemaField, typed: string): unknown {
  if (typed === "") {
    if (required) throw new Error("It is required.");
    return undefined;
  }
  switch (kind) {
    case "text":
      return typed;
    case "number":
    case "integer":
      return readNumber(typed, schema, kind);
    case "boolean":
      return typed === "true";
    case "choice":
      return options.find((option) => String(option) === typed);
    case "list": {
      const words = typed.split("\n").filter((line) => line !== "");
      const items = schema["items"] as JsonSchema;
      return items["type"] === "string" ? words : words.map((word) => readNumber(word, items, "number"));
    }
    case "json":
      try {
        return JSON.parse(typed);
      } catch (error) {
        throw new Error(`It is not JSON: ${error instanceof Error ? error.message : ""}`, { cause: error });
      }
  }
}

function readNumber(typed: string, { minimum, maximum }: JsonSchema, kind: "number" | "integer"): number {
  const value = Number(typed);
  if (typed.trim() === "" || !Number.isFinite(value)) throw new Error(`"${typed}" is not a number.`);
  if (kind === "integer" && !Number.isInteger(value)) throw new Error("It must be a whole number.");
  if (typeof minimum === "number" && value < minimum) throw new Error(`It must be ${minimum} at least.`);
  if (typeof maximum === "number" && value > maximum) throw new Error(`It must be ${maximum} at most.`);
  return value;
}

/** A value as it would be typed. */
export function typedOf({ kind }: SchemaField, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (kind === "list" && Array.isArray(value)) return value.map(String).join("\n");
  return typeof value === "object" || kind === "json" ? JSON.stringify(value) : String(value);
}

/** What a field takes, in words: `whole number, 1 to 16 · default 7`. */
export function limitsOf({ schema, kind }: SchemaField): string {
  const { minimum, maximum, minLength, maxLength, pattern } = schema;
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${String(minimum)} to ${String(maximum)}`
      : minimum !== undefined
        ? `at least ${String(minimum)}`
        : maximum === undefined
          ? ""
          : `at most ${String(maximum)}`;
  const words = {
    text: "",
    number: "a number",
    integer: "a whole number",
    boolean: "",
    choice: "",
    list: "one on each line",
    json: "as JSON",
  }[kind];
  return [
    words,
    range,
    typeof minLength === "number" && minLength > 1 ? `${minLength} characters at least` : "",
    typeof maxLength === "number" ? `${maxLength} characters at most` : "",
    typeof pattern === "string" ? `like ${pattern}` : "",
    schema["default"] === undefined ? "" : `default ${JSON.stringify(schema["default"])}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}
