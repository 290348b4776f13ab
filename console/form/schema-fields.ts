import { numberAsTyped } from "../words/typed-number.ts";

/** A JSON Schema, as an endpoint has it for a part of its input. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice" | "list" | "json";

export const inputParts = ["pathParams", "queryParams", "body"] as const;
export type InputPart = (typeof inputParts)[number];

/** What a control is for: one member, a whole part whose members nobody knows, or members besides the known ones. */
export type FieldPlace = "member" | "part" | "others";

/** One control of a form. */
export interface SchemaField {
  readonly part: InputPart;
  /** Of the member; empty for a whole part and for the others. */
  readonly name: string;
  readonly place: FieldPlace;
  readonly kind: FieldKind;
  readonly required: boolean;
  /** null is a value that it takes. */
  readonly nullable: boolean;
  /** Without null and without references. */
  readonly schema: JsonSchema;
  readonly options: readonly unknown[];
  /** null, "" or [], which the form began with: nothing typed stands for it, and not for a member that is not there. */
  readonly empty?: unknown;
}

export type InputSchemas = Readonly<Partial<Record<InputPart, JsonSchema | undefined>>>;
export type InputValues = Readonly<Partial<Record<InputPart, Readonly<Record<string, unknown>> | undefined>>>;

/**
 * The controls of an input, required ones first. What has no control of its own is typed as JSON, as are members of
 * `start` that the schema does not name: they must not be lost. Pure.
 */
export function fieldsOf(input: InputSchemas, start: InputValues = {}): readonly SchemaField[] {
  const fields = inputParts.flatMap((part) => fieldsOfPart(part, input[part], start[part] ?? {}));
  return fields.toSorted((a, b) => Number(b.required) - Number(a.required));
}

function fieldsOfPart(
  part: InputPart,
  given: JsonSchema | undefined,
  start: Readonly<Record<string, unknown>>,
): readonly SchemaField[] {
  if (given === undefined && Object.keys(start).length === 0) return [];
  const root = given ?? {};
  const { schema } = plainSchema(root, root);
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const isOpen = schema["additionalProperties"] === true || isSchema(schema["additionalProperties"]);
  const others = (place: FieldPlace): SchemaField => ({
    part,
    name: "",
    place,
    kind: "json",
    required: place === "part" && listOf(schema["required"]).length > 0,
    nullable: false,
    schema: place === "part" ? { ...schema, type: "object" } : { type: "object" },
    options: [],
  });
  if (Object.keys(properties).length === 0) {
    const isClosed = "properties" in schema || schema["additionalProperties"] === false;
    return given === undefined || isOpen || !isClosed ? [others("part")] : [];
  }
  const required = listOf(schema["required"]);
  const members = Object.entries(properties).map(([name, member]): SchemaField => {
    const { schema: one, nullable } = plainSchema(isSchema(member) ? member : {}, root);
    const begun = Object.hasOwn(start, name) && isEmpty(start[name]) ? { empty: start[name] } : {};
    const field = { part, name, place: "member", schema: one, nullable, required: required.includes(name) } as const;
    return { ...field, ...kindOf(one), ...begun };
  });
  const isMissing = Object.keys(start).some((name) => !(name in properties));
  return isOpen || isMissing ? [...members, others("others")] : members;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const MOST_REFERENCES = 8;

/** The schema that references lead to, and that is left when null is taken out of it. */
function plainSchema(given: JsonSchema, root: JsonSchema): { schema: JsonSchema; nullable: boolean } {
  let schema = given;
  let nullable = false;
  for (let step = 0; step < MOST_REFERENCES; step += 1) {
    const { $ref: reference, ...beside } = schema;
    const [, name] = typeof reference === "string" ? (/^#\/\$defs\/([\w-]+)$/.exec(reference) ?? []) : [];
    const definitions = root["$defs"];
    const target = name !== undefined && isSchema(definitions) ? definitions[name] : undefined;
    if (isSchema(target)) {
      schema = { ...target, ...beside };
      continue;
    }
    const { anyOf, oneOf, ...rest } = schema;
    const choices = listOf(anyOf ?? oneOf);
    const others = choices.filter((one) => !(isSchema(one) && one["type"] === "null"));
    if (others.length === 1 && others.length < choices.length && isSchema(others[0])) {
      nullable = true;
      schema = { ...others[0], ...rest };
      continue;
    }
    break;
  }
  const { type, enum: listed } = schema;
  if (Array.isArray(listed) && listed.includes(null)) {
    nullable = true;
    schema = { ...schema, enum: listed.filter((one) => one !== null) };
  }
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== "null");
    nullable ||= types.length < type.length;
    schema = { ...schema, type: types.length === 1 ? types[0] : types };
  }
  return { schema, nullable };
}

const MOST_OPTIONS = 200;

function kindOf(schema: JsonSchema): { kind: FieldKind; options: readonly unknown[] } {
  const listed = "const" in schema ? [schema["const"]] : schema["enum"];
  if (Array.isArray(listed) && listed.length <= MOST_OPTIONS) return { kind: "choice", options: listed };
  const { type, items } = schema;
  if (type === "string") return { kind: "text", options: [] };
  if (type === "number" || type === "integer" || type === "boolean") return { kind: type, options: [] };
  const ofItems = isSchema(items) ? items["type"] : undefined;
  if (type === "array" && ["string", "number", "integer"].includes(String(ofItems)))
    return { kind: "list", options: [] };
  return { kind: "json", options: [] };
}

/** How an option is written; a text stands for itself. */
export function optionText(option: unknown): string {
  return typeof option === "object" && option !== null ? JSON.stringify(option) : String(option);
}

/** A value as it would be typed by a reader with this decimal sign. */
export function typedOf(
  { kind, part, name, place }: SchemaField,
  start: InputValues,
  names: ReadonlySet<string>,
  decimalSign?: string,
): string {
  const values = start[part];
  if (values === undefined) return "";
  if (place !== "member") {
    const others = Object.entries(values).filter(([member]) => place === "part" || !names.has(`${part}.${member}`));
    return others.length === 0 ? "" : JSON.stringify(Object.fromEntries(others), null, 2);
  }
  const value = values[name];
  if (value === undefined || isEmpty(value)) return "";
  const written = (one: unknown) => (typeof one === "number" ? numberAsTyped(one, decimalSign) : String(one));
  if (kind === "list" && Array.isArray(value)) return value.map(written).join("\n");
  if (kind === "number" || kind === "integer") return written(value);
  return kind === "json" ? JSON.stringify(value, null, 2) : optionText(value);
}
