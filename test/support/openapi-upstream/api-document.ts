/**
 * An OpenAPI document of any version as a stand-in upstream reads it: by the standard alone. It shares nothing with the
 * importer, or it would find valid whatever the importer misread.
 */

export type Json = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  /** Described by `content`: the value is JSON text. */
  readonly isJson: boolean;
  readonly schema: unknown;
}

export interface MediaType {
  /** In lower case, without parameters. */
  readonly type: string;
  readonly schema: unknown;
  /** By field, of forms: `contentType`, `style`, `explode`. */
  readonly encoding: Json;
  readonly example: unknown;
}

export interface Body {
  readonly required: boolean;
  readonly media: readonly MediaType[];
}

export interface Answer {
  readonly status: number;
  readonly media: readonly MediaType[];
}

/** All schemes of one demand together prove who calls; one demand of several is enough. */
export type Demand = readonly { readonly name: string; readonly scheme: Json | undefined }[];

export interface Operation {
  readonly method: string;
  /** The path as the document writes it. */
  readonly path: string;
  /** Paths of the servers that it may be called at, without a slash at the end. */
  readonly bases: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly answer: Answer;
  readonly demands: readonly Demand[];
}

export interface ApiDocument {
  readonly root: Json;
  /** 2.0 and 3.0: members beside a `$ref` mean nothing. */
  readonly ignoresSiblings: boolean;
  readonly operations: readonly Operation[];
}

const METHODS = ["get", "put", "post", "delete", "head", "patch"];

export function readApiDocument(root: Json): ApiDocument {
  const version = String(root["swagger"] ?? root["openapi"]);
  const isSwagger = root["swagger"] !== undefined;
  const reader: Reader = { root, isSwagger };
  const operations = Object.entries(membersOf(root["paths"])).flatMap(([path, written]) => {
    const item = membersOf(follow(root, written));
    return METHODS.filter((method) => isMembers(item[method])).map((method) =>
      readOperation(reader, { path, method, item, operation: membersOf(item[method]) }),
    );
  });
  return { root, ignoresSiblings: isSwagger || version.startsWith("3.0"), operations };
}

export function isMembers(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function membersOf(value: unknown): Json {
  return isMembers(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What stands behind a reference within the document; undefined when it leads nowhere, or in a circle. */
export function follow(root: Json, value: unknown): unknown {
  let here = value;
  for (let hops = 0; hops < 50; hops++) {
    if (!isMembers(here) || typeof here["$ref"] !== "string") return here;
    here = atPointer(root, here["$ref"]);
  }
  return undefined;
}

function atPointer(root: Json, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  const steps = decodeURIComponent(reference.slice(1)).split("/").slice(1);
  return steps.reduce<unknown>((here, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(here)) return here[Number(name)];
    return isMembers(here) && Object.hasOwn(here, name) ? here[name] : undefined;
  }, root);
}

interface Reader {
  readonly root: Json;
  readonly isSwagger: boolean;
}

interface Place {
  readonly path: string;
  readonly method: string;
  readonly item: Json;
  readonly operation: Json;
}

function readOperation(reader: Reader, place: Place): Operation {
  const { root, isSwagger } = reader;
  const parts = parametersOf(reader, place);
  const read = isSwagger ? readSwaggerParameter : (part: Json) => readParameter(root, part);
  return {
    method: place.method.toUpperCase(),
    path: place.path,
    bases: isSwagger ? [withoutSlash(String(root["basePath"] ?? ""))] : basesOf(reader, place),
    parameters: parts.filter((part) => part["in"] !== "body" && part["in"] !== "formData").map(read),
    body: isSwagger ? swaggerBody(reader, place, parts) : readBody(reader, place),
    answer: readAnswer(reader, place),
    demands: demandsOf(reader, place),
  };
}

/** Those of the path, under the operation's own of the same name and place. */
function parametersOf({ root }: Reader, { item, operation }: Place): readonly Json[] {
  const all = [...listOf(item["parameters"]), ...listOf(operation["parameters"])].map((one) => follow(root, one));
  return [
    ...new Map(all.filter(isMembers).map((one) => [`${String(one["in"])} ${String(one["name"])}`, one])).values(),
  ];
}

function readParameter(root: Json, part: Json): Parameter {
  const place = part["in"] as Parameter["in"];
  const [content] = Object.values(membersOf(part["content"]));
  const style = String(part["style"] ?? (place === "path" || place === "header" ? "simple" : "form"));
  return {
    name: String(part["name"]),
    in: place,
    required: part["required"] === true || place === "path",
    style,
    explode: part["explode"] === undefined ? style === "form" : part["explode"] === true,
    isJson: content !== undefined,
    schema: content === undefined ? part["schema"] : membersOf(follow(root, content))["schema"],
  };
}

const COLLECTION_FORMATS: Readonly<Record<string, Pick<Parameter, "style" | "explode">>> = {
  csv: { style: "form", explode: false },
  ssv: { style: "spaceDelimited", explode: false },
  tsv: { style: "tabDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  multi: { style: "form", explode: true },
};

/** In 2.0 a parameter is its own schema. */
function readSwaggerParameter(part: Json): Parameter {
  const place = part["in"] as Parameter["in"];
  const format = COLLECTION_FORMATS[String(part["collectionFormat"] ?? "csv")] ?? { style: "form", explode: false };
  const isPlain = place === "path" || place === "header";
  return {
    name: String(part["name"]),
    in: place,
    required: part["required"] === true || place === "path",
    style: isPlain ? "simple" : format.style,
    explode: isPlain ? false : format.explode,
    isJson: false,
    schema: part,
  };
}

function basesOf({ root }: Reader, { item, operation }: Place): readonly string[] {
  const servers =
    [operation, item, root].map((owner) => listOf(owner["servers"])).find((list) => list.length > 0) ?? [];
  if (servers.length === 0) return [""];
  return servers.map((server) => basePathOf(membersOf(server)));
}

function basePathOf({ url, variables }: Json): string {
  const filled = String(url ?? "/").replaceAll(/\{([^{}]+)\}/g, (_, name: string) =>
    String(membersOf(membersOf(variables)[name])["default"] ?? `{${name}}`),
  );
  // An undeclared variable may stand for a whole origin.
  const path = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*|\{[^{}]*\})(.*)$/i.exec(filled)?.[1] ?? filled;
  return withoutSlash(path.replace(/[?#].*$/, "").replace(/^\.?(?!\/)/, "/"));
}

function withoutSlash(path: string): string {
  const bare = path.replace(/\/+$/, "");
  return bare === "" || bare.startsWith("/") ? bare : `/${bare}`;
}

function readBody({ root }: Reader, { operation }: Place): Body | undefined {
  const body = follow(root, operation["requestBody"]);
  if (!isMembers(body)) return undefined;
  return { required: body["required"] === true, media: mediaOf(root, body["content"]) };
}

function mediaOf(root: Json, content: unknown): readonly MediaType[] {
  return Object.entries(membersOf(content)).map(([type, written]) => {
    const media = membersOf(follow(root, written));
    return {
      type: bareType(type),
      schema: media["schema"] ?? media["itemSchema"],
      encoding: membersOf(media["encoding"]),
      example: media["example"] ?? firstExample(root, media["examples"]),
    };
  });
}

function firstExample(root: Json, examples: unknown): unknown {
  const [first] = Object.values(membersOf(examples));
  return membersOf(follow(root, first))["value"];
}

export function bareType(type: string): string {
  return (type.split(";", 1)[0] ?? "").trim().toLowerCase();
}

function swaggerBody({ root }: Reader, { operation }: Place, parts: readonly Json[]): Body | undefined {
  const consumes = listOf(operation["consumes"] ?? root["consumes"]).map((type) => bareType(String(type)));
  const whole = parts.find((part) => part["in"] === "body");
  if (whole !== undefined) {
    const types = consumes.length > 0 ? consumes : ["application/json"];
    const media = types.map((type) => ({ type, schema: whole["schema"], encoding: {}, example: undefined }));
    return { required: whole["required"] === true, media };
  }
  const fields = parts.filter((part) => part["in"] === "formData");
  if (fields.length === 0) return undefined;
  const forms = consumes.filter((type) => type === FORM || type === MULTIPART);
  const hasFile = fields.some(({ type }) => type === "file");
  const types = hasFile ? [MULTIPART] : forms.length > 0 ? forms : [FORM];
  return { required: fields.some(isRequired), media: types.map((type) => formOf(type, fields)) };
}

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";

function isRequired(part: Json): boolean {
  return part["required"] === true;
}

/** The fields of a form of 2.0 in the words of 3.0. */
function formOf(type: string, fields: readonly Json[]): MediaType {
  const named = fields.map((field) => [String(field["name"]), field] as const);
  const properties = named.map(([name, field]) => [name, field["type"] === "file" ? FILE : field] as const);
  const encoding = named
    .filter(([, field]) => field["type"] === "array" && membersOf(field["items"])["type"] !== "file")
    .map(([name, field]) => {
      const { style, explode } = readSwaggerParameter({ ...field, in: "query" });
      return [name, { style, explode }] as const;
    });
  return {
    type,
    schema: {
      type: "object",
      properties: Object.fromEntries(properties),
      required: fields.filter(isRequired).map(({ name }) => name),
      additionalProperties: false,
    },
    encoding: Object.fromEntries(encoding),
    example: undefined,
  };
}

const FILE = { type: "string", format: "binary" };

/** The answer when all goes well. */
function readAnswer({ root, isSwagger }: Reader, { operation }: Place): Answer {
  const answers = Object.entries(membersOf(operation["responses"])).filter(([status]) =>
    /^(2..|default)$/i.test(status),
  );
  const [status = "200", written] = answers.sort(([one], [other]) => one.localeCompare(other))[0] ?? [];
  const answer = membersOf(follow(root, written));
  const number = /^2\d\d$/.test(status) ? Number(status) : 200;
  if (!isSwagger) return { status: number, media: mediaOf(root, answer["content"]) };
  const { schema } = answer;
  if (schema === undefined) return { status: number, media: [] };
  const produces = listOf(operation["produces"] ?? root["produces"]).map((type) => bareType(String(type)));
  const types = produces.length > 0 ? produces : ["application/json"];
  const examples = membersOf(answer["examples"]);
  return {
    status: number,
    media: types.map((type) => ({ type, schema, encoding: {}, example: examples[type] })),
  };
}

function demandsOf({ root, isSwagger }: Reader, { operation }: Place): readonly Demand[] {
  const schemes = isSwagger ? root["securityDefinitions"] : membersOf(root["components"])["securitySchemes"];
  return listOf(operation["security"] ?? root["security"])
    .filter(isMembers)
    .map((demand) =>
      Object.keys(demand).map((name) => {
        const scheme = follow(root, membersOf(schemes)[name]);
        return { name, scheme: isMembers(scheme) ? scheme : undefined };
      }),
    );
}
