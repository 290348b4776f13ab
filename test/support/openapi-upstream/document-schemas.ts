import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats, { type FormatName } from "ajv-formats";
import { type ApiDocument, follow, isMembers, type Json, listOf } from "./api-document.ts";

/** What a value is made of, as far as it decides how it is spelled. */
export type Kind = "scalar" | "array" | "object";

const DOCUMENT = "document";
const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** Those of JSON Schema and of OpenAPI; others are words for people. */
const FORMATS: readonly FormatName[] = [
  "date",
  "time",
  "date-time",
  "duration",
  "uri",
  "uri-reference",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
  "json-pointer",
  "regex",
  "byte",
  "int32",
  "int64",
  "float",
  "double",
];

/** Judges values by the schemas of one document, whatever version they are of. */
export class DocumentSchemas {
  /** Schemas that no validator takes, in words: what they describe is not judged. */
  readonly unusable = new Set<string>();
  readonly #document: ApiDocument;
  readonly #ajv: Ajv2020;
  readonly #compiled = new WeakMap<object, ValidateFunction | null>();

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv2020({
      strict: false,
      validateSchema: false,
      allErrors: true,
      logger: false,
      code: { regExp: Object.assign(regExpOf, { code: "" }) },
    });
    addFormats.default(this.#ajv, [...FORMATS]);
    // What only answers have is not to be sent.
    this.#ajv.removeKeyword("readOnly");
    this.#ajv.addKeyword({ keyword: "readOnly", validate: (schema: unknown) => schema !== true });
    this.#ajv.addSchema(this.#modern(document.root) as Json, DOCUMENT);
  }

  /** What is wrong with a value, in words; nothing for a schema that says nothing, or that cannot be used. */
  complaints(schema: unknown, value: unknown): readonly string[] {
    const validate = this.#validatorOf(schema);
    if (validate === null || validate(value) === true) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, keyword, message }) => `${instancePath} ${message} (${keyword})`,
    );
  }

  /** A text as the scalar that the schema says it is. */
  scalarOf(schema: unknown, text: string): unknown {
    const types = this.#typesOf(schema);
    const isNumeric = (types.has("number") || types.has("integer")) && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);
    const isFlag = types.has("boolean") && /^(?:true|false)$/.test(text);
    const candidates = [...(isNumeric ? [Number(text)] : []), ...(isFlag ? [text === "true"] : []), text];
    return candidates.find((value) => this.complaints(schema, value).length === 0) ?? candidates[0];
  }

  /** The likeliest first; a scalar where nothing is said. */
  kindsOf(schema: unknown): readonly Kind[] {
    const types = this.#typesOf(schema);
    const scalars = ["string", "number", "integer", "boolean"].some((type) => types.has(type));
    const kinds: Kind[] = [];
    if (types.has("array")) kinds.push("array");
    if (types.has("object")) kinds.push("object");
    if (scalars || kinds.length === 0) kinds.push("scalar");
    return kinds;
  }

  itemsOf(schema: unknown): unknown {
    return this.#readingsOf(schema).find(({ items }) => isMembers(items))?.["items"];
  }

  propertyOf(schema: unknown, name: string): unknown {
    for (const { properties } of this.#readingsOf(schema)) {
      if (isMembers(properties) && Object.hasOwn(properties, name)) return properties[name];
    }
    return this.#readingsOf(schema).find(({ additionalProperties }) => isMembers(additionalProperties))?.[
      "additionalProperties"
    ];
  }

  /** Names of an object's members; `isOpen` when others are taken too. */
  membersOf(schema: unknown): { readonly names: ReadonlySet<string>; readonly isOpen: boolean } {
    const readings = this.#readingsOf(schema);
    const names = new Set(readings.flatMap(({ properties }) => (isMembers(properties) ? Object.keys(properties) : [])));
    const isOpen =
      names.size === 0 || readings.some(({ additionalProperties: more }) => more === true || isMembers(more));
    return { names, isOpen };
  }

  /** Whether it describes bytes that are sent as they are. */
  isFile(schema: unknown): boolean {
    return this.#readingsOf(schema).some(
      ({ format, contentMediaType, contentEncoding, type }) =>
        format === "binary" ||
        type === "file" ||
        (contentMediaType === "application/octet-stream" && contentEncoding === undefined),
    );
  }

  #typesOf(schema: unknown): ReadonlySet<unknown> {
    const types = this.#readingsOf(schema).flatMap(({ type, properties, items, enum: values }) => [
      ...(Array.isArray(type) ? (type as unknown[]) : [type]),
      ...(isMembers(properties) ? ["object"] : []),
      ...(items !== undefined ? ["array"] : []),
      ...(type === undefined ? listOf(values).map((value) => typeof value) : []),
    ]);
    return new Set(types);
  }

  /** The schema, what it refers to, and its branches, each once. */
  #readingsOf(schema: unknown, seen = new Set<unknown>()): readonly Json[] {
    const here = follow(this.#document.root, schema);
    if (!isMembers(here) || seen.has(here)) return [];
    seen.add(here);
    const branches = ["allOf", "anyOf", "oneOf"].flatMap((word) => listOf(here[word]));
    return [here, ...branches.flatMap((branch) => this.#readingsOf(branch, seen))];
  }

  #validatorOf(schema: unknown): ValidateFunction | null {
    if (!isMembers(schema)) return null;
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const compiled = this.#compile(schema);
    this.#compiled.set(schema, compiled);
    return compiled;
  }

  #compile(schema: Json): ValidateFunction | null {
    try {
      return this.#ajv.compile(this.#modern(schema) as Json);
    } catch (error) {
      this.unusable.add((error as Error).message.slice(0, 200));
      return null;
    }
  }

  /** Any part of the document in the words of draft 2020-12. What is no schema is copied. */
  #modern(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#modern(item));
    if (!isMembers(value)) return value;
    if (typeof value["$ref"] === "string") return this.#modernReference(value, value["$ref"]);
    const words = Object.entries(value).map(([word, part]) => [word, this.#modern(part)] as const);
    const schema: Record<string, unknown> = Object.fromEntries(words);
    modernizeBounds(schema);
    modernizeType(schema);
    this.#modernizeRequired(value, schema);
    for (const word of ["id", "$id", "$anchor", "$schema"]) if (typeof schema[word] === "string") delete schema[word];
    return value["nullable"] === true || value["x-nullable"] === true ? orNull(schema) : schema;
  }

  #modernReference(value: Json, reference: string): Json {
    const $ref = reference.startsWith("#") ? `${DOCUMENT}${reference}` : reference;
    if (this.#document.ignoresSiblings) return { $ref };
    const { $ref: _, ...siblings } = value;
    return { ...(this.#modern(siblings) as Json), $ref };
  }

  /** A habit of old drafts, and what only answers need. */
  #modernizeRequired(value: Json, schema: Record<string, unknown>): void {
    const { required } = schema;
    if (required === undefined) return;
    if (!Array.isArray(required)) {
      if (typeof required === "boolean") delete schema["required"];
      return;
    }
    const properties = isMembers(value["properties"]) ? value["properties"] : {};
    const isReadOnly = (name: unknown) => {
      const property = typeof name === "string" && Object.hasOwn(properties, name) ? properties[name] : undefined;
      return this.#readingsOf(property).some(({ readOnly }) => readOnly === true);
    };
    schema["required"] = [...new Set(required)].filter((name) => !isReadOnly(name));
  }
}

function modernizeBounds(schema: Record<string, unknown>): void {
  for (const [strict, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[strict] !== "boolean") continue;
    if (schema[strict] === true && typeof schema[inclusive] === "number") {
      schema[strict] = schema[inclusive];
      delete schema[inclusive];
    } else {
      delete schema[strict];
    }
  }
}

/** `file` and misspelt types say nothing that a validator knows; texts that must be numbers are the texts that they are. */
function modernizeType(schema: Record<string, unknown>): void {
  const { type, enum: values } = schema;
  const isText = Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string");
  if (isText && (type === "number" || type === "integer")) delete schema["type"];
  if (type === "string" && Array.isArray(values)) schema["enum"] = values.map(asText);
  if (typeof type === "string" && !TYPES.has(type)) delete schema["type"];
  if (Array.isArray(type)) schema["type"] = type.filter((name) => TYPES.has(name));
}

/** YAML reads `200` and `no` as something else than text. */
function asText(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

function orNull(schema: Record<string, unknown>): Json {
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  return { ...schema, type: [type, "null"], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

/** Patterns come with and without slashes around them, for engines with and without Unicode; one that is none matches all. */
function regExpOf(pattern: string): RegExp {
  const bare = /^\/(.*)\/$/s.exec(pattern)?.[1] ?? pattern;
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(bare, flags);
    } catch {
      continue;
    }
  }
  return /(?:)/;
}
