import { bareType, type Body, isMembers, type Json, membersOf, type MediaType } from "./api-document.ts";
import {
  Complaint,
  decodeQuery,
  type Pair,
  parseJson,
  readFromPairs,
  readPairs,
  readValue,
  SEPARATORS_OF_FORMS,
} from "./decode-values.ts";
import type { DocumentSchemas } from "./document-schemas.ts";
import { readMultipart, type ReceivedPart } from "./read-multipart.ts";
import { headerOf, type UpstreamRequest } from "./upstream-request.ts";

/** The body, decoded by the document's rules; undefined when there is none. Throws Complaint. */
export function judgeBody(body: Body | undefined, request: UpstreamRequest, schemas: DocumentSchemas): unknown {
  const contentType = headerOf(request, "content-type");
  if (request.bytes.length === 0 && contentType === undefined) {
    if (body?.required === true) throw new Complaint("the body is required and was not sent");
    return undefined;
  }
  if (body === undefined) throw new Complaint("a body was sent, and the document has none");
  const media = body.media.find(({ type }) => isOfType(bareType(contentType ?? ""), type));
  if (media === undefined) {
    const known = body.media.map(({ type }) => type).join(", ");
    throw new Complaint(`the body is ${contentType ?? "of no type"}, and the document takes ${known}`);
  }
  return readBody(media, { ...request, contentType: contentType ?? "" }, schemas);
}

export function isOfType(type: string, range: string): boolean {
  if (range === "*/*" || range === "") return true;
  return range.endsWith("/*") ? type.startsWith(range.slice(0, -1)) : type === range;
}

function readBody(
  { schema, encoding }: MediaType,
  { bytes, contentType }: UpstreamRequest & { readonly contentType: string },
  schemas: DocumentSchemas,
): unknown {
  const type = bareType(contentType);
  if (type === "application/x-www-form-urlencoded") return readForm(bytes.toString(), schema, encoding, schemas);
  if (type.startsWith("multipart/")) return readParts(readMultipart(bytes, contentType), schema, encoding, schemas);
  if (/[/+]json$/.test(type)) return judged(schema, parseJson(bytes.toString()), schemas);
  if (isXml(type)) return bytes.toString();
  if (type.startsWith("text/"))
    return schemas.isFile(schema) ? bytes.toString() : judgedText(schema, bytes.toString(), schemas);
  return bytes;
}

/** Its schema describes the values that the markup stands for. */
function isXml(type: string): boolean {
  return /[/+]xml$/.test(type);
}

function judged(schema: unknown, value: unknown, schemas: DocumentSchemas): unknown {
  const complaints = schemas.complaints(schema, value);
  if (complaints.length > 0) throw new Complaint(`the body: ${complaints.slice(0, 5).join("; ")}`);
  return value;
}

/** Text of another type than a string is somebody's own notation, such as CSV of a list. */
function judgedText(schema: unknown, text: string, schemas: DocumentSchemas): string {
  return schemas.kindsOf(schema).includes("scalar") ? (judged(schema, text, schemas) as string) : text;
}

function readForm(text: string, schema: unknown, encoding: Json, schemas: DocumentSchemas): unknown {
  const pairs = readPairs(text);
  const fields = new Map<string, unknown>();
  for (const name of schemas.membersOf(schema).names) {
    const property = schemas.propertyOf(schema, name);
    const isJson =
      /json/i.test(String(membersOf(encoding[name])["contentType"])) ||
      (encoding[name] === undefined && isObject(property, schemas));
    const value = isJson
      ? jsonField(pairs.find((pair) => pair.name === name && claimed(pair))?.raw)
      : readStyled(name, pairs, property, encoding, schemas);
    if (value !== undefined) fields.set(name, value);
  }
  for (const { name, raw, owner } of pairs) if (owner === undefined) fields.set(name, decodeQuery(raw));
  return judged(schema, Object.fromEntries(fields), schemas);
}

/** A field that is spelled as a parameter of a query would be. OpenAPI, "Encoding Object". */
function readStyled(
  name: string,
  pairs: readonly Pair[],
  schema: unknown,
  encoding: Json,
  schemas: DocumentSchemas,
): unknown {
  const { style = "form", explode } = membersOf(encoding[name]);
  const spelling = { name, style: String(style), explode: explode === undefined ? style === "form" : explode === true };
  return readValue(schema, schemas, (kind) =>
    readFromPairs(pairs, spelling, kind, schemas.membersOf(schema), SEPARATORS_OF_FORMS),
  );
}

function claimed(pair: { owner?: string; readonly name: string }): boolean {
  pair.owner = pair.name;
  return true;
}

function jsonField(raw: string | undefined): unknown {
  return raw === undefined ? undefined : parseJson(decodeQuery(raw));
}

function isObject(schema: unknown, schemas: DocumentSchemas): boolean {
  return schemas.kindsOf(schema)[0] === "object";
}

function readParts(parts: readonly ReceivedPart[], schema: unknown, encoding: Json, schemas: DocumentSchemas): unknown {
  const fields = new Map<string, unknown>();
  const styled = Object.keys(encoding).filter((name) => isStyled(membersOf(encoding[name])));
  const pairs: readonly Pair[] = parts.map(({ name, bytes }) => ({ name, raw: encodeURIComponent(bytes.toString()) }));
  for (const name of styled) {
    const value = readStyled(name, pairs, schemas.propertyOf(schema, name), encoding, schemas);
    if (value !== undefined) fields.set(name, value);
  }
  const rest = parts.filter((_, index) => pairs[index]?.owner === undefined);
  for (const name of new Set(rest.map((part) => part.name))) {
    const own = rest.filter((part) => part.name === name);
    fields.set(name, readField(name, own, schemas.propertyOf(schema, name), membersOf(encoding[name]), schemas));
  }
  return judged(schema, Object.fromEntries(fields), schemas);
}

/** A style that is said goes before the type of the part. */
function isStyled({ style, explode }: Json): boolean {
  return style !== undefined || explode !== undefined;
}

function readField(
  name: string,
  parts: readonly ReceivedPart[],
  schema: unknown,
  encoding: Json,
  schemas: DocumentSchemas,
): unknown {
  for (const part of parts) checkPartType(name, part, encoding);
  const isJson = /json/i.test(String(encoding["contentType"]));
  if (!isJson && !schemas.isFile(schema) && schemas.kindsOf(schema)[0] === "array") {
    return parts.map((part) => readPartValue(name, part, schemas.itemsOf(schema), schemas));
  }
  const [part] = parts;
  if (part === undefined || parts.length > 1) throw new Complaint(`the part ${name} came ${parts.length} times`);
  return readPartValue(name, part, schema, schemas);
}

function checkPartType(name: string, { contentType }: ReceivedPart, { contentType: wanted }: Json): void {
  if (typeof wanted !== "string") return;
  const ranges = wanted.split(",").map(bareType);
  if (contentType === undefined && ranges.includes("text/plain")) return;
  if (!ranges.some((range) => isOfType(contentType ?? "text/plain", range))) {
    throw new Complaint(`the part ${name} is ${contentType ?? "of no type"}, and the document takes ${wanted}`);
  }
}

function readPartValue(
  name: string,
  { bytes, filename, contentType }: ReceivedPart,
  schema: unknown,
  schemas: DocumentSchemas,
): unknown {
  if (schemas.isFile(schema)) {
    if (filename === undefined) throw new Complaint(`the part ${name} is a file and has no file name`);
    return bytes.toString("latin1");
  }
  if (isObject(schema, schemas) && !schemas.kindsOf(schema).includes("scalar")) {
    if (contentType !== "application/json")
      throw new Complaint(`the part ${name} is an object and is sent as ${contentType ?? "text"}`);
    return parseJson(bytes.toString());
  }
  if (contentType === "application/json") return parseJson(bytes.toString());
  return schemas.scalarOf(schema, bytes.toString());
}

/** What of a decoded body is bytes, as the base64 that a caller gave. */
export function toComparable(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString("base64");
  if (Array.isArray(value)) return value.map(toComparable);
  if (!isMembers(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toComparable(member)]));
}
