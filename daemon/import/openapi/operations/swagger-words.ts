import { memberOf } from "../../../../shared/member-of.ts";
import type { ApiBody, ApiMedia } from "./api-operation.ts";
import { cleanText } from "../../conversion/clean-text.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { entriesOf, type Members, textOf, wordOf } from "../../conversion/members.ts";
import type { Located } from "../document/reference-resolver.ts";

/** Translates 2.0 to the terms of 3.x, so that all versions are converted by the same rules. */

const NOT_OF_THE_SCHEMA: ReadonlySet<string> = new Set([
  "name",
  "in",
  "required",
  "collectionFormat",
  "allowEmptyValue",
]);

interface ParameterWords {
  readonly schema: Members;
  readonly style: string;
  readonly explode: boolean;
}

const STYLES: Readonly<Record<string, Pick<ParameterWords, "style" | "explode">>> = {
  csv: { style: "form", explode: false },
  ssv: { style: "spaceDelimited", explode: false },
  tsv: { style: "tabs", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  multi: { style: "form", explode: true },
};

/** A parameter of 2.0 is its own schema; lists are separated by commas unless it says otherwise. */
export function fromSwaggerParameter(parameter: unknown): ParameterWords {
  const schema = Object.fromEntries(entriesOf(parameter).filter(([name]) => !NOT_OF_THE_SCHEMA.has(name)));
  const format = textOf(parameter, "collectionFormat") ?? "csv";
  const style = (Object.hasOwn(STYLES, format) ? STYLES[format] : undefined) ?? { style: "form", explode: false };
  // Some documents use `schema` anyway.
  const nested = memberOf(parameter, "schema");
  return { schema: isRecord(nested) ? { ...nested, ...schema } : schema, ...style };
}

export function fromSwaggerBody({ value, file }: Located, consumes: readonly string[]): ApiBody {
  const schema = memberOf(value, "schema");
  const types = consumes.length > 0 ? consumes : ["application/json"];
  return {
    required: memberOf(value, "required") === true,
    description: cleanText(memberOf(value, "description"), 500),
    media: types.map((type) => ({
      type,
      schema: schema === undefined ? undefined : { value: schema, file },
      encoding: {},
      example: memberOf(value, "x-example") ?? memberOf(value, "example"),
    })),
  };
}

/** The form's fields as one object; multipart if a file is among them, or nothing else is accepted. */
export function fromSwaggerForm(fields: readonly Located[], consumes: readonly string[]): ApiBody {
  const named = fields.map(({ value }) => ({ value, name: wordOf(memberOf(value, "name")) }));
  const hasFile = named.some(({ value }) => memberOf(value, "type") === "file");
  const isMultipart = hasFile || (consumes.includes("multipart/form-data") && !consumes.includes(FORM));
  const encoding = named.map(({ value, name }) => {
    const { style, explode } = fromSwaggerParameter(value);
    return [name, { style, explode }] as const;
  });
  const schema = {
    type: "object",
    properties: Object.fromEntries(named.map(({ value, name }) => [name, fromSwaggerParameter(value).schema])),
    required: named.filter(({ value }) => memberOf(value, "required") === true).map(({ name }) => name),
  };
  const media: ApiMedia = {
    type: isMultipart ? "multipart/form-data" : FORM,
    schema: { value: schema, file: fields[0]?.file ?? "" },
    encoding: Object.fromEntries(encoding),
    example: undefined,
  };
  return { required: schema.required.length > 0, description: "", media: [media] };
}

const FORM = "application/x-www-form-urlencoded";

/** An answer of 2.0 has one schema for all media types, and examples by media type. */
export function fromSwaggerMedia({ value, file }: Located, produces: readonly string[]): ApiMedia[] {
  const schema = memberOf(value, "schema");
  const examples = memberOf(value, "examples");
  const types = produces.length > 0 ? produces : ["application/json"];
  if (schema === undefined && !isRecord(examples)) return [];
  return types.map((type) => ({
    type: memberOf(schema, "type") === "file" && type === "application/json" ? "application/octet-stream" : type,
    schema: schema === undefined ? undefined : { value: schema, file },
    encoding: {},
    example: exampleFor(examples, type),
  }));
}

function exampleFor(examples: unknown, type: string): unknown {
  return memberOf(examples, type) ?? entriesOf(examples).find(([name]) => name.startsWith(type))?.[1];
}
