import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "../support/temp-dir.ts";

type Json = Readonly<Record<string, unknown>>;

/** A small OpenAPI document; members given replace those of the same name at the top level. */
export function openApi(changes: Json = {}): Json {
  return {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1.2.0" },
    servers: [{ url: "https://api.pets.example/v1" }],
    paths: {
      "/pets": {
        get: operation("List pets", [{ name: "limit", in: "query", schema: { type: "integer", maximum: 50 } }]),
        post: { ...operation("Add a pet"), deprecated: true },
      },
      "/pets/{id}": {
        get: operation("One pet", [{ name: "id", in: "path", required: true, schema: { type: "string" } }]),
      },
    },
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } } },
    security: [{ key: [] }],
    ...changes,
  };
}

export function operation(summary: string, parameters: readonly Json[] = [], changes: Json = {}): Json {
  const schema = { type: "array", items: { type: "object", properties: { name: { type: "string" } } } };
  return {
    summary,
    description: `${summary}, with their names.`,
    parameters,
    responses: { "200": { description: "The pets", content: { "application/json": { schema } } } },
    ...changes,
  };
}

export interface DocumentFolder extends Disposable {
  readonly path: string;
  /** Objects are written as JSON. Gives the whole path. */
  write(name: string, content: string | object): string;
}

export function documentFolder(): DocumentFolder {
  const folder = tempDir();
  return {
    path: folder.path,
    write(name, content) {
      const file = join(folder.path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return file;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
