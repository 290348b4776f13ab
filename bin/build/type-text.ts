import type { JsonSchema } from "../../shared/openapi-schema.ts";

/**
 * The TypeScript type of what a JSON Schema of the contract describes, as text. Knows the keywords that the contract
 * uses and throws for others that would change the type.
 */
export function typeText(schema: JsonSchema): string {
  refuseUnknown(schema);
  const { $ref: reference, const: constant, enum: values, anyOf, oneOf } = schema as SchemaShape;
  if (reference !== undefined) return reference.replace("#/components/schemas/", "");
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)));
  const choices = anyOf ?? oneOf;
  if (choices === undefined) return plainType(schema);
  if (schema["properties"] === undefined) return union(choices.map(typeText));
  return `${objectType(schema)} & (${union(choices.map((choice) => requiredMembers(schema, choice)))})`;
}

/** A member of an object as it stands between braces, with what there is to say about it. */
export function memberText(name: string, type: string, isRequired: boolean, words?: unknown): string {
  return docComment(words) + (isRequired ? `${quoted(name)}: ${type};` : `${quoted(name)}?: ${type} | undefined;`);
}

/** A doc comment with its line break; empty for anything but a non-empty text. */
export function docComment(text: unknown): string {
  return typeof text === "string" && text !== "" ? `/** ${text.replaceAll("*/", "* /")} */\n` : "";
}

interface SchemaShape {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

const untold = ["allOf", "not", "if", "prefixItems", "patternProperties", "unevaluatedProperties", "dependentSchemas"];

function refuseUnknown(schema: JsonSchema): void {
  const found = untold.find((keyword) => keyword in schema);
  if (found !== undefined) throw new Error(`${found} is in the contract, and the client's types do not know it`);
}

function plainType(schema: JsonSchema): string {
  const { type } = schema as SchemaShape;
  if (type === undefined) return "unknown";
  const types = typeof type === "string" ? [type] : type;
  return union(types.map((one) => typeOf(one, schema)));
}

function typeOf(type: string, schema: JsonSchema): string {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array":
      return `Array<${typeText((schema as SchemaShape).items ?? {})}>`;
    case "object":
      return objectType(schema);
    default:
      throw new Error(`${type} is no type of JSON Schema`);
  }
}

function objectType(schema: JsonSchema): string {
  const { properties, required = [], additionalProperties } = schema as SchemaShape;
  if (properties === undefined) return `Record<string, ${restType(additionalProperties)}>`;
  const members = Object.entries(properties).map(([name, member]) =>
    memberText(name, typeText(member), required.includes(name), member["description"]),
  );
  const rest = isOpen(additionalProperties) ? [`[name: string]: unknown;`] : [];
  return `{\n${[...members, ...rest].join("\n")}\n}`;
}

function restType(additional: SchemaShape["additionalProperties"]): string {
  return typeof additional === "object" ? typeText(additional) : "unknown";
}

function isOpen(additional: SchemaShape["additionalProperties"]): boolean {
  return additional === true || (typeof additional === "object" && Object.keys(additional).length === 0);
}

/** A choice that only says which members are required. */
function requiredMembers(schema: JsonSchema, choice: JsonSchema): string {
  const { required = [], ...others } = choice as SchemaShape;
  if (Object.keys(others).length > 0) throw new Error("a choice beside properties may name required members alone");
  const properties = (schema as SchemaShape).properties ?? {};
  return `{ ${required.map((name) => memberText(name, typeText(properties[name] ?? {}), true)).join(" ")} }`;
}

function union(texts: readonly string[]): string {
  return [...new Set(texts)].join(" | ");
}

function quoted(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
