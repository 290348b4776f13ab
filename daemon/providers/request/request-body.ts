import type { EndpointInputSchemas } from "../../catalog/entries/catalog-entry.ts";
import { isFileSchema, itemSchema, mediaTypeOfFile } from "../../manifest/file-schema.ts";
import { declaredProperties, isSchemaObject, type JsonSchema } from "../../manifest/json-schema-walk.ts";
import type { Call, RequestCall } from "../../manifest/manifest.ts";
import { takesBody } from "../../manifest/takes-body.ts";
import { type TemplateReference, type TemplateScope, toText } from "../../manifest/template.ts";
import { compiledCall } from "./compiled-call.ts";
import { mergeOver } from "./fixed-parts.ts";
import { type Part, toMultipart } from "./multipart-body.ts";
import { unusableValue } from "../../manifest/request-error.ts";
import { type FieldSpelling, refuseTakenNames, styleOf, textOf, toFields, toFormText } from "./request-fields.ts";
import { isRecord } from "../../../shared/is-record.ts";

export interface BodyFacts {
  readonly call: Call | RequestCall;
  readonly input: EndpointInputSchemas;
  readonly scope: TemplateScope;
  readonly spelling: FieldSpelling;
  /** The caller's body; absent for calls with fixed parts only. */
  readonly caller?: { readonly body?: unknown };
  /** Credentials that are sent in the body. */
  readonly credentials: Readonly<Record<string, string>>;
}

export interface BuiltBody {
  readonly content: string | Uint8Array;
  readonly contentType: string;
  /** True when the content is valid only with this type. */
  readonly isTypeBound?: true;
}

type Fields = Readonly<Record<string, unknown>>;

/** The body in the declared encoding; undefined when there is none. Throws ApiError `invalidInput` for unusable bytes. */
export function buildBody(facts: BodyFacts): BuiltBody | undefined {
  const { call, caller, credentials, input } = facts;
  if (!takesBody(call)) return undefined;
  if ("bodyField" in call && call.bodyField !== undefined) return buildBodyOfField(call.bodyField, facts);
  const isDeclared = caller !== undefined && input.body !== undefined;
  const hasBody =
    call.body !== undefined || caller?.body !== undefined || isDeclared || Object.keys(credentials).length > 0;
  if (!hasBody) return undefined;
  return buildBodyOfFields(
    { ...mergeOver(compiledCall(call).body(facts.scope), fieldsIn(caller?.body)), ...credentials },
    facts,
  );
}

export function fieldsIn(section: unknown): Fields {
  return isRecord(section) ? section : {};
}

function buildBodyOfFields(fields: Fields, facts: BodyFacts): BuiltBody {
  refuseTakenNames("body", fields, facts);
  switch (facts.call.encoding) {
    case "form":
      return {
        content: toFormText(toFields(fields, facts.spelling)),
        contentType: "application/x-www-form-urlencoded",
      };
    case "multipart":
      return { ...toMultipart(partsOf(fields, facts)), isTypeBound: true };
    default:
      return { content: JSON.stringify(fields), contentType: "application/json" };
  }
}

/** The one property that is the whole body; when it is missing nothing is sent. */
function buildBodyOfField(name: string, { call, caller }: BodyFacts): BuiltBody | undefined {
  const fields = fieldsIn(caller?.body);
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined) return undefined;
  switch (call.encoding) {
    case "text":
      return { content: toText(value), contentType: "text/plain; charset=utf-8" };
    case "bytes":
      return { content: readBytes(name, value), contentType: "application/octet-stream" };
    default:
      return { content: JSON.stringify(value), contentType: "application/json" };
  }
}

function partsOf(fields: Fields, { input, spelling }: BodyFacts): readonly Part[] {
  const schema: JsonSchema = input.body ?? {};
  const declared = declaredProperties(schema);
  return Object.entries(fields).flatMap(([name, value]): readonly Part[] => {
    const property = declared.get(name);
    const item = itemSchema(schema, property);
    if (isFileSchema(schema, property)) return [filePart(name, value, mediaTypeOfFile(schema, property))];
    if (Array.isArray(value) && isFileSchema(schema, item)) {
      return value.map((file) => filePart(name, file, mediaTypeOfFile(schema, item)));
    }
    const style = styleOf(spelling, name);
    if (style === "json") return [{ name, content: JSON.stringify(value), contentType: "application/json" }];
    if (style === undefined && hasObjects(value)) return jsonParts(name, value);
    const contentType = typeOfText(property);
    return toFields({ [name]: value }, spelling).map((field) => ({
      name: field.name,
      content: textOf(field),
      ...(contentType !== undefined && { contentType }),
    }));
  });
}

/** The media type in the schema of a text, such as application/sdp. */
function typeOfText(schema: unknown): string | undefined {
  const type = isSchemaObject(schema) ? schema["contentMediaType"] : undefined;
  return typeof type === "string" && MEDIA_TYPE.test(type) ? type : undefined;
}

function hasObjects(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === "object" && item !== null);
  return typeof value === "object" && value !== null;
}

/** A list becomes one part for each of its items. OpenAPI, "Special Considerations for multipart Content". */
function jsonParts(name: string, value: unknown): readonly Part[] {
  return (Array.isArray(value) ? value : [value]).map((item) => ({
    name,
    content: JSON.stringify(item),
    contentType: "application/json",
  }));
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&^.+-]*"))*$/;

/** A file as base64 text, or as `{base64, filename?, contentType?}`. The default name is that of its field. */
function filePart(name: string, value: unknown, declaredType: string | undefined): Part {
  const { base64, filename, contentType }: Fields = { base64: value, ...fieldsIn(value) };
  const type = contentType ?? declaredType ?? "application/octet-stream";
  if (typeof type !== "string" || !MEDIA_TYPE.test(type)) {
    throw unusableValue(bodyReference(name, "contentType"), "is not a media type such as image/png");
  }
  return {
    name,
    content: readBytes(name, base64),
    filename: typeof filename === "string" ? filename : name,
    contentType: type,
  };
}

/** Both alphabets of RFC 4648, with or without padding and line breaks. */
function readBytes(name: string, value: unknown): Buffer {
  const text = typeof value === "string" ? value.replaceAll(/[\t\n\r ]/g, "") : "";
  const digits = text.replace(/={1,2}$/, "");
  if (typeof value !== "string" || !/^[A-Za-z0-9+/_-]*$/.test(digits) || digits.length % 4 === 1) {
    throw unusableValue(bodyReference(name), "is sent as bytes and must be base64 text");
  }
  return Buffer.from(digits, "base64");
}

function bodyReference(...path: readonly string[]): TemplateReference {
  return { kind: "input", section: "body", path };
}
