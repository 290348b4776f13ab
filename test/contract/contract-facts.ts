/**
 * An OpenAPI document as a flat table "place → fact", so that two documents can be compared line by line and a
 * difference has a name. Equal spellings come out equal (anyOf and oneOf, const and enum, lists of types, allOf and
 * one object); descriptions and x- members are no facts.
 *
 *   startRun                       POST /v1/run, auth, tier, tag
 *   startRun.body                  the request body
 *   listRuns.query.limit           a parameter
 *   startRun.responses.202         a body by status, with the names of its headers
 *   Run.output                     a member of a named schema: required or optional, then its shape
 */
export type Facts = Map<string, string>;

export type Json = Record<string, unknown>;

const annotations = new Set(["description", "discriminator", "examples", "title"]);

export function readFacts(document: Json, operationIds: ReadonlySet<string>): Facts {
  const facts: Facts = new Map();
  const reader = new FactReader(document, facts);
  for (const [path, methods] of Object.entries(document["paths"] as Record<string, Record<string, Json>>)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operationIds.has(String(operation["operationId"]))) reader.readOperation(method, path, operation);
    }
  }
  return facts;
}

export function operationIdsOf(document: Json): Map<string, string> {
  const tierById = new Map<string, string>();
  for (const methods of Object.values(document["paths"] as Record<string, Record<string, Json>>)) {
    for (const operation of Object.values(methods)) {
      tierById.set(String(operation["operationId"]), String(operation["x-tier"]));
    }
  }
  return tierById;
}

class FactReader {
  readonly #document: Json;
  readonly #facts: Facts;
  readonly #seenSchemas = new Set<string>();

  constructor(document: Json, facts: Facts) {
    this.#document = document;
    this.#facts = facts;
  }

  readOperation(method: string, path: string, operation: Json): void {
    const id = String(operation["operationId"]);
    const auth = (operation["security"] as unknown[]).length === 0 ? "open" : "bearer";
    const deprecated = operation["deprecated"] === true ? " deprecated" : "";
    const tags = (operation["tags"] as string[]).join();
    this.#facts.set(id, `${method.toUpperCase()} ${path} ${auth} ${String(operation["x-tier"])} ${tags}${deprecated}`);

    for (const parameter of (operation["parameters"] ?? []) as Json[]) {
      const found = this.#follow(parameter);
      this.#readMember(
        `${id}.${String(found["in"])}.${String(found["name"])}`,
        found["schema"] as Json,
        found["required"] === true,
      );
    }
    const body = operation["requestBody"] as Json | undefined;
    if (body) this.#readMember(`${id}.body`, bodySchema(body), body["required"] === true);

    for (const [status, response] of Object.entries(operation["responses"] as Record<string, Json>)) {
      const found = this.#follow(response);
      const headers = Object.keys((found["headers"] ?? {}) as Json).sort();
      const at = `${id}.responses.${status}`;
      this.#facts.set(`${at}.headers`, headers.join());
      if (found["content"]) this.#readMember(at, bodySchema(found), true);
      else this.#facts.set(at, "no body");
    }
  }

  #readMember(at: string, schema: Json, required: boolean): void {
    this.#facts.set(at, `${required ? "required" : "optional"} ${this.#describe(at, schema)}`);
  }

  /** The shape in one line; members of an object become facts of their own under `at`. */
  #describe(at: string, schema: Json): string {
    if (typeof schema["$ref"] === "string") return this.#readNamed(schema["$ref"]);

    const flat = this.#flatten(schema);
    const alternatives = alternativesOf(flat);
    if (alternatives.length > 1) {
      return alternatives
        .map((alternative) => this.#describe(at, alternative))
        .sort()
        .join(" | ");
    }
    return this.#describeOne(at, alternatives[0] ?? {});
  }

  #describeOne(at: string, schema: Json): string {
    if (typeof schema["$ref"] === "string") return this.#readNamed(schema["$ref"]);

    const { properties, required, items, additionalProperties, enum: values, const: value, type, ...rest } = schema;
    const words: string[] = [];
    const allowed = value === undefined ? (values as unknown[] | undefined) : [value];
    if (allowed) words.push(`one of ${JSON.stringify([...allowed].sort())}`);
    else if (type !== undefined) words.push(String(type));

    for (const [keyword, detail] of Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!annotations.has(keyword) && !keyword.startsWith("x-")) words.push(`${keyword}=${JSON.stringify(detail)}`);
    }
    if (items !== undefined) words.push(`of (${this.#describe(`${at}[]`, items as Json)})`);
    if (additionalProperties === false) words.push("closed");
    else if (typeof additionalProperties === "object" && additionalProperties !== null) {
      const other = this.#describe(`${at}{}`, additionalProperties as Json);
      if (other !== "") words.push(`values (${other})`);
    }
    for (const [name, member] of Object.entries((properties ?? {}) as Record<string, Json>)) {
      this.#readMember(`${at}.${name}`, member, ((required ?? []) as string[]).includes(name));
    }
    return words.join(" ");
  }

  #readNamed(ref: string): string {
    const name = ref.slice(ref.lastIndexOf("/") + 1);
    if (!this.#seenSchemas.has(name)) {
      this.#seenSchemas.add(name);
      this.#facts.set(name, this.#describe(name, this.#follow({ $ref: ref })));
    }
    return `#${name}`;
  }

  #follow(value: Json): Json {
    if (typeof value["$ref"] !== "string") return value;
    let found: unknown = this.#document;
    for (const step of value["$ref"].slice(2).split("/")) found = (found as Json)[step];
    return found as Json;
  }

  /** allOf of objects as one object. */
  #flatten(schema: Json): Json {
    if (!Array.isArray(schema["allOf"])) return schema;
    const parts = (schema["allOf"] as Json[]).map((part) => this.#flatten(this.#follow(part)));
    return {
      type: "object",
      properties: Object.assign({}, ...parts.map((part) => part["properties"] ?? {})) as Json,
      required: parts.flatMap((part) => (part["required"] ?? []) as string[]),
    };
  }
}

function bodySchema(message: Json): Json {
  return ((message["content"] as Json)["application/json"] as Json)["schema"] as Json;
}

/** anyOf, oneOf and a list of types are one thing: alternatives. Keywords beside a list of types belong to the type that has them. */
function alternativesOf(schema: Json): Json[] {
  const union = (schema["anyOf"] ?? schema["oneOf"]) as Json[] | undefined;
  if (union && schema["properties"] === undefined) return union.flatMap(alternativesOf);

  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return [schema];
  return (type as string[]).map((one) => (one === "null" ? { type: one } : { ...rest, type: one }));
}
