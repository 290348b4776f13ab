import { memberOf } from "../../../../shared/member-of.ts";
import { isForbiddenKey } from "../../../catalog/parsing/catalog-text.ts";
import type { FieldStyle } from "../../../manifest/manifest.ts";
import type { ApiBody, ApiMedia, Method } from "../operations/api-operation.ts";
import type { ManifestSchema } from "../schemas/manifest-schema.ts";
import type { ParameterTools } from "./convert-parameters.ts";
import { textOf } from "../../conversion/members.ts";
import { type ObjectShape, objectShape, schemaKind } from "../schemas/section-schema.ts";

export interface ConvertedBody {
  readonly section: ManifestSchema;
  readonly encoding?: "json" | "form" | "multipart" | "text" | "bytes";
  readonly bodyField?: string;
  readonly contentType?: string;
  readonly styles: Readonly<Record<string, FieldStyle>>;
  readonly example: unknown;
}

const JSON_MEDIA = "application/json";

/**
 * The body of an operation: JSON is preferred to forms, forms to text, text to bytes. Undefined when none is described.
 */
export function convertBody(body: ApiBody, method: Method, tools: ParameterTools): ConvertedBody | undefined {
  const [media] = [...body.media].sort((one, other) => preference(one) - preference(other));
  if (media === undefined) return undefined;
  const converted = convertMedia(media, body, tools);
  // A body is unusual with these methods, so the file must state the encoding.
  const isUnusual = method === "GET" || method === "HEAD" || method === "DELETE";
  return isUnusual && converted.encoding === undefined ? { ...converted, encoding: "json" } : converted;
}

function preference({ type }: ApiMedia): number {
  if (type === JSON_MEDIA) return 0;
  if (isJson(type)) return 1;
  if (type === "application/x-www-form-urlencoded") return 2;
  if (type === "multipart/form-data") return 3;
  if (type === "*/*" || type === "") return 4;
  if (isTextMedia(type)) return 5;
  return 6;
}

export function isJson(type: string): boolean {
  return /^(?:application|text)\/(?:[a-z0-9.+_-]*\+)?json$/.test(type) || type === "application/*";
}

export function isTextMedia(type: string): boolean {
  return (
    type.startsWith("text/") ||
    /(?:[/+]xml|\/yaml|\/x-yaml|\/x-ndjson|\/jsonl|\/graphql|\/javascript|\/sparql-query)$/.test(type)
  );
}

function convertMedia(media: ApiMedia, body: ApiBody, tools: ParameterTools): ConvertedBody {
  const { type, schema: located } = media;
  const schema = located === undefined ? {} : tools.converter.convert(located);
  const kind = schemaKind(schema, tools.shapes);
  const isForm = type === "application/x-www-form-urlencoded" || type.startsWith("multipart/");
  const shape = objectShape(schema, tools.shapes);
  if (isForm) return formBody(media, shape ?? NO_SHAPE, tools);
  if (isJson(type) || (type === "*/*" || type === "" ? kind !== "scalar" : false)) {
    const contentType = type === JSON_MEDIA || !isWhole(type) ? {} : { contentType: type };
    if (shape === undefined)
      return {
        ...wholeBody(kind === "array" ? "items" : "value", schema, body),
        ...contentType,
        example: media.example,
      };
    noteMerged(shape, tools);
    return { section: sectionOf(shape), styles: {}, ...contentType, example: media.example };
  }
  if (isTextMedia(type) || (kind === "scalar" && memberOf(schema, "format") !== "binary" && type === "*/*")) {
    return {
      ...wholeBody("content", { type: "string", ...described(schema, body, "The text that is sent.") }, body),
      encoding: "text",
      ...(type !== "text/plain" && isWhole(type) && { contentType: type }),
      example: typeof media.example === "string" ? media.example : undefined,
    };
  }
  const bytes = {
    type: "string",
    contentEncoding: "base64",
    ...described(schema, body, "The bytes that are sent, as base64."),
  };
  return {
    ...wholeBody("content", bytes, body),
    encoding: "bytes",
    ...(type !== "application/octet-stream" && isWhole(type) && { contentType: type }),
    example: undefined,
  };
}

const NO_SHAPE: ObjectShape = { properties: new Map(), required: new Set(), rest: true, isMerged: false };

/** Whether a media type is specific and may be sent in a header. */
function isWhole(type: string): boolean {
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type);
}

function described(schema: ManifestSchema, body: ApiBody, otherwise: string): ManifestSchema {
  const own = schema["description"];
  const words = typeof own === "string" ? own : body.description;
  return { description: words === "" ? otherwise : words };
}

/**
 * A body that is not an object: one field that is all of it. Its name differs from the sections', so that flat input
 * works.
 */
function wholeBody(
  name: string,
  schema: ManifestSchema,
  body: ApiBody,
): Pick<ConvertedBody, "section" | "bodyField" | "styles" | "example"> {
  const hasWords = Object.hasOwn(schema, "description") || body.description === "";
  const field = hasWords ? schema : { ...schema, description: body.description };
  return {
    section: { ...(body.required && { required: [name] }), properties: { [name]: field } },
    bodyField: name,
    styles: {},
    example: undefined,
  };
}

function formBody(media: ApiMedia, shape: ObjectShape, tools: ParameterTools): ConvertedBody {
  noteMerged(shape, tools);
  const isMultipart = media.type.startsWith("multipart/");
  const styles = [...shape.properties].flatMap(([name, schema]): (readonly [string, FieldStyle])[] => {
    const style = fieldStyle(memberOf(media.encoding, name), schema, isMultipart, tools);
    return style === undefined ? [] : [[name, style]];
  });
  return {
    section: sectionOf(isMultipart ? { ...shape, properties: typedParts(shape, media) } : shape),
    encoding: isMultipart ? "multipart" : "form",
    styles: Object.fromEntries(styles),
    example: media.example,
  };
}

/** The fields with the media types that their parts must have: the first of several, and none for a wildcard. */
function typedParts({ properties }: ObjectShape, { encoding }: ApiMedia): ObjectShape["properties"] {
  const typed = [...properties].map(([name, schema]) => {
    const [type = ""] = (textOf(memberOf(encoding, name), "contentType") ?? "").split(/[,;]/);
    const isText = schema["type"] === "string" && !Object.hasOwn(schema, "contentMediaType");
    const isNamed = isWhole(type.trim().toLowerCase()) && type.trim() !== "text/plain";
    return [name, isText && isNamed ? { ...schema, contentMediaType: type.trim() } : schema] as const;
  });
  return new Map(typed);
}

/** The style of one field of a form; undefined when the manifest's default is the same. */
function fieldStyle(
  encoding: unknown,
  schema: ManifestSchema,
  isMultipart: boolean,
  tools: ParameterTools,
): FieldStyle | undefined {
  const kind = schemaKind(schema, tools.shapes);
  if (kind === "scalar" || kind === "unknown") return undefined;
  const style = textOf(encoding, "style");
  const explode = memberOf(encoding, "explode") ?? (style === undefined || style === "form");
  if (/json/i.test(textOf(encoding, "contentType") ?? "")) return "json";
  if (style === "deepObject") return "brackets";
  if (style === "spaceDelimited") return explode === true && kind === "array" ? undefined : "spaces";
  if (style === "pipeDelimited") return explode === true && kind === "array" ? undefined : "pipes";
  if (style === "tabs") return "tabs";
  if (style === undefined && kind === "object") return isMultipart ? undefined : "json";
  if (kind === "object") return explode === true ? "flat" : "comma";
  return explode === true ? undefined : "comma";
}

function noteMerged(shape: ObjectShape, { notes }: ParameterTools): void {
  if (!shape.isMerged) return;
  notes.add(
    "bodies that are one of several objects take the fields of all of them; the vendor decides which go together",
  );
}

/** A section of an input: an object, closed unless the document opens it. */
export function sectionOf({ properties, required, rest }: ObjectShape): ManifestSchema {
  const fields = [...properties].filter(([name]) => name !== "" && !isForbiddenKey(name));
  const isOpen = rest !== undefined && rest !== false;
  const needed = [...required].filter((name) => isOpen || properties.has(name));
  return {
    ...(needed.length > 0 && { required: needed }),
    properties: Object.fromEntries(fields),
    ...(isOpen && { additionalProperties: rest }),
  };
}
