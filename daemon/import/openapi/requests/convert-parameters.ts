import { isForbiddenKey } from "../../../catalog/parsing/catalog-text.ts";
import type { FieldStyle } from "../../../manifest/manifest.ts";
import { FORBIDDEN_HEADERS } from "../../../manifest/forbidden-headers.ts";
import type { ApiOperation, ApiParameter } from "../operations/api-operation.ts";
import { removeControls } from "../../conversion/clean-text.ts";
import type { SchemaConverter } from "../schema-conversion/convert-schema.ts";
import type { ManifestSchema } from "../schemas/manifest-schema.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import { CannotConvert } from "../document/cannot-convert.ts";
import { type SchemaKind, schemaKind, type ShapeTools } from "../schemas/section-schema.ts";
import { isSmallData } from "../schemas/small-data.ts";
import { valueFits } from "../schemas/value-fits.ts";
import { settleNeeded } from "../schemas/needed-fields.ts";
import type { WirePath } from "../operations/wire-path.ts";

export interface ConvertedParameters {
  /** For `request.path`; a placeholder may have `;name=` in front. */
  readonly path: string;
  readonly pathParams: ReadonlyMap<string, ManifestSchema>;
  readonly queryParams: ReadonlyMap<string, ManifestSchema>;
  readonly requiredQuery: readonly string[];
  /** Header → template of the field that is sent in it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fixed parameters of the query. */
  readonly fixedQuery: Readonly<Record<string, string>>;
  readonly styles: Readonly<Record<string, FieldStyle>>;
  readonly idempotencyHeader?: string;
  /** Values given in the document, by section and field. */
  readonly examples: { readonly pathParams: Map<string, unknown>; readonly queryParams: Map<string, unknown> };
}

export interface ParameterTools {
  readonly converter: SchemaConverter;
  readonly shapes: ShapeTools;
  readonly notes: ImportNotes;
}

/** OpenAPI ignores parameters with these names: media types and credentials are described elsewhere. */
const MEANINGLESS_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "authorization", "cookie"]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const IDEMPOTENCY = /^(?:x-)?idempotency-key$/i;

/** Credentials that a caller never gives: parameters that `auth` sends, and secrets in the path. */
export interface ParameterSecrets {
  readonly keys: ReadonlySet<string>;
  readonly inPath?: ReadonlyMap<string, string>;
}

/** Throws CannotConvert when a parameter cannot be sent. */
export function convertParameters(
  operation: ApiOperation,
  wire: WirePath,
  { keys, inPath }: ParameterSecrets,
  tools: ParameterTools,
): ConvertedParameters {
  const draft = new ParameterDraft(wire, tools);
  for (const [name, secret] of inPath ?? []) draft.addSecret(name, secret);
  for (const parameter of operation.parameters) {
    if (keys.has(parameterKey(parameter))) continue;
    if (parameter.in === "path") draft.addPath(parameter);
    else if (parameter.in === "query") draft.addQuery(parameter);
  }
  for (const parameter of operation.parameters) {
    if (keys.has(parameterKey(parameter))) continue;
    if (parameter.in === "header") draft.addHeader(parameter);
    else if (parameter.in === "cookie") draft.refuseCookie(parameter);
  }
  return draft.finish();
}

export function parameterKey({ in: place, name }: Pick<ApiParameter, "in" | "name">): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
}

class ParameterDraft {
  readonly #wire: WirePath;
  readonly #tools: ParameterTools;
  #path: string;
  readonly #pathParams = new Map<string, ManifestSchema>();
  readonly #queryParams = new Map<string, ManifestSchema>();
  readonly #requiredQuery: string[] = [];
  readonly #headers: [string, string][] = [];
  readonly #styles: [string, FieldStyle][] = [];
  readonly #examples = { pathParams: new Map<string, unknown>(), queryParams: new Map<string, unknown>() };
  readonly #secrets = new Map<string, string>();
  #idempotencyHeader: string | undefined;

  constructor(wire: WirePath, tools: ParameterTools) {
    this.#wire = wire;
    this.#tools = tools;
    this.#path = wire.path;
  }

  addPath(parameter: ApiParameter): void {
    const name = this.#wire.names.get(parameter.name);
    // The path has no placeholder for this parameter.
    if (name === undefined) return;
    const { schema, kind } = this.#schemaOf(parameter);
    this.#pathParams.set(name, schema);
    if (parameter.example !== undefined) this.#examples.pathParams.set(name, parameter.example);
    this.#stylePath(parameter, name, kind);
  }

  /** Replaces a placeholder in the path, or in its fixed query, by a secret. */
  addSecret(written: string, secret: string): void {
    const name = this.#wire.names.get(written);
    if (name === undefined) return;
    this.#secrets.set(name, secret);
    this.#path = this.#path.replaceAll(`{${name}}`, `\${secret.${secret}}`);
  }

  addQuery(parameter: ApiParameter): void {
    const { name } = parameter;
    // For example `?keyword={keyword}` with a parameter `keyword`: the placeholder is this parameter.
    if (!this.#canBeField(parameter) || this.#queryParams.has(name)) return;
    const { schema, kind } = this.#schemaOf(parameter);
    this.#queryParams.set(name, schema);
    if (parameter.required) this.#requiredQuery.push(name);
    if (parameter.example !== undefined) this.#examples.queryParams.set(name, parameter.example);
    const style = queryStyle(parameter, kind);
    if (style !== undefined) this.#styles.push([name, style]);
  }

  addHeader(parameter: ApiParameter): void {
    const lower = parameter.name.toLowerCase();
    if (MEANINGLESS_HEADERS.has(lower) || FORBIDDEN_HEADERS.has(lower)) return;
    if (IDEMPOTENCY.test(parameter.name)) {
      this.#idempotencyHeader = parameter.name;
      return;
    }
    if (!HEADER_NAME.test(parameter.name)) {
      if (parameter.required)
        throw new CannotConvert(
          `it needs the header ${JSON.stringify(parameter.name.slice(0, 60))}, which no header can be called`,
        );
      this.#tools.notes.add("optional headers whose names no header can have were left out");
      return;
    }
    const field = this.#queryParams.has(parameter.name) ? `${parameter.name}-header` : parameter.name;
    if (!this.#canBeField({ ...parameter, name: field })) return;
    const { schema, kind } = this.#schemaOf(parameter);
    this.#queryParams.set(field, schema);
    if (parameter.required) this.#requiredQuery.push(field);
    if (parameter.example !== undefined) this.#examples.queryParams.set(field, parameter.example);
    this.#headers.push([parameter.name, `\${input.queryParams.${field}}`]);
    const style = headerStyle(parameter, kind);
    if (style !== undefined) this.#styles.push([field, style]);
  }

  refuseCookie({ name, required }: ApiParameter): void {
    const shown = JSON.stringify(removeControls(name).slice(0, 60));
    if (required) throw new CannotConvert(`it needs the cookie ${shown}, and callers send none`);
    this.#tools.notes.add("optional cookies were left out", shown);
  }

  finish(): ConvertedParameters {
    for (const name of this.#wire.names.values()) {
      if (!this.#isPlaceholder(name) || this.#pathParams.has(name) || this.#secrets.has(name)) continue;
      // Not declared, as in half of the documents with a template.
      this.#pathParams.set(name, { type: "string" });
    }
    // A placeholder is unused if its query parameter is given by the caller directly.
    const needed = [...this.#pathParams].filter(([name]) => this.#isPlaceholder(name));
    return {
      path: this.#path,
      pathParams: new Map(needed),
      queryParams: this.#queryParams,
      requiredQuery: this.#requiredQuery,
      headers: Object.fromEntries(this.#headers),
      fixedQuery: this.#fixedQuery(),
      styles: Object.fromEntries(this.#styles),
      ...(this.#idempotencyHeader !== undefined && { idempotencyHeader: this.#idempotencyHeader }),
      examples: this.#examples,
    };
  }

  /** Whether a name is used: in the path, or in a fixed parameter that the caller does not give directly. */
  #isPlaceholder(name: string): boolean {
    const written = [this.#path, ...this.#openQuery().map(([, value]) => value)];
    return written.some((text) => text.includes(`{${name}}`));
  }

  #openQuery(): (readonly [string, string])[] {
    return this.#wire.query.filter(([name]) => !this.#queryParams.has(name));
  }

  #fixedQuery(): Record<string, string> {
    const place = (name: string) => {
      const secret = this.#secrets.get(name);
      return secret === undefined ? `\${input.pathParams.${name}}` : `\${secret.${secret}}`;
    };
    const template = (value: string) => value.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => place(name));
    return Object.fromEntries(this.#openQuery().map(([name, value]) => [name, template(value)]));
  }

  #canBeField({ name, required }: ApiParameter): boolean {
    const isUsable = name !== "" && name.length <= 200 && removeControls(name) === name && !isForbiddenKey(name);
    if (isUsable) return true;
    const shown = JSON.stringify(removeControls(name).slice(0, 60));
    if (required) throw new CannotConvert(`its parameter ${shown} has a name that no field can have`);
    this.#tools.notes.add("optional parameters with names that no field can have were left out", shown);
    return false;
  }

  #schemaOf(parameter: ApiParameter): { readonly schema: ManifestSchema; readonly kind: SchemaKind } {
    const { converter, shapes } = this.#tools;
    const converted = parameter.schema === undefined ? { type: "string" } : converter.convert(parameter.schema);
    const kind = schemaKind(converted, shapes);
    const { description } = parameter;
    const described = description === "" ? converted : { ...converted, description };
    const shown = withExample(described, parameter.example);
    return { schema: parameter.required ? neededField(parameter, shown) : shown, kind };
  }

  #stylePath({ style, explode, isJson }: ApiParameter, name: string, kind: SchemaKind): void {
    if (isJson) this.#styles.push([name, "json"]);
    else if (kind === "object" && explode) this.#styles.push([name, "pairs"]);
    if (style !== "label" && style !== "matrix") return;
    if (explode && kind !== "scalar" && kind !== "unknown") {
      throw new CannotConvert(
        `its path parameter ${name} is a list or an object in the exploded style ${style}, which is not supported`,
      );
    }
    const before = style === "label" ? "." : `;${name}=`;
    this.#path = this.#path.replace(`{${name}}`, `${before}{${name}}`);
  }
}

/** Moves an example beside the schema into it, where callers see it. */
function withExample(schema: ManifestSchema, example: unknown): ManifestSchema {
  const isTold = ["examples", "enum", "$ref"].some((word) => Object.hasOwn(schema, word));
  if (isTold || typeof example === "object" || example === undefined || example === "") return schema;
  return isSmallData(example, 200) && valueFits(example, schema) ? { ...schema, examples: [example] } : schema;
}

/** Required headers specify how a call is meant, such as the version of the API. */
function neededField({ name, in: place }: ApiParameter, schema: ManifestSchema): ManifestSchema {
  return withOnlyValue(settleNeeded(name, schema, { isSetting: place === "header" }));
}

/** A required field with a single possible value gets it as a default. */
function withOnlyValue(schema: ManifestSchema): ManifestSchema {
  if (Object.hasOwn(schema, "default")) return schema;
  const values: unknown = schema["enum"];
  const only: unknown = Array.isArray(values) && values.length === 1 ? values[0] : schema["const"];
  return only === undefined || only === null ? schema : { ...schema, default: only };
}

/** Undefined for plain text. */
function headerStyle({ isJson, explode }: ApiParameter, kind: SchemaKind): FieldStyle | undefined {
  if (isJson) return "json";
  if (kind === "array") return "comma";
  if (kind === "object") return explode ? "pairs" : "comma";
  return undefined;
}

/** Undefined when the manifest's defaults are the same: lists repeated, scalars unchanged. */
function queryStyle({ style, explode, isJson }: ApiParameter, kind: SchemaKind): FieldStyle | undefined {
  if (isJson) return "json";
  if (kind === "scalar") return undefined;
  if (style === "deepObject") return "brackets";
  if (style === "tabs") return kind === "array" ? "tabs" : undefined;
  if (style === "spaceDelimited") return explode && kind === "array" ? undefined : "spaces";
  if (style === "pipeDelimited") return explode && kind === "array" ? undefined : "pipes";
  if (kind === "object") return explode ? "flat" : "comma";
  if (kind === "array") return explode ? undefined : "comma";
  return undefined;
}
