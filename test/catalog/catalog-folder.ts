import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Catalog, loadCatalog } from "../../daemon/catalog/catalog.ts";
import { MemoryGrantStore } from "../support/memory-grant-store.ts";
import type { CatalogFolder } from "../../daemon/catalog/reading/catalog-folder.ts";
import { tempDir } from "../support/temp-dir.ts";

export const fixturesDir = new URL("./fixtures", import.meta.url).pathname;

export interface CatalogFolderFixture extends Disposable {
  readonly path: string;
  /** Objects are written as JSON (`<name>.json`), texts as they are under their full name. */
  write(name: string, content: string | object): string;
  load(options?: LoadOptions): Promise<Catalog>;
}

export interface LoadOptions extends Partial<CatalogFolder> {
  readonly environment?: Readonly<Record<string, string>>;
  readonly grants?: MemoryGrantStore;
  readonly allowPrivateHosts?: readonly string[];
}

/** A fresh catalog folder; with the worked examples in it when asked. */
export function catalogFolder({ examples = false } = {}): CatalogFolderFixture {
  const folder = tempDir();
  if (examples) cpSync(fixturesDir, folder.path, { recursive: true });
  return {
    path: folder.path,
    write(name, content) {
      const file = join(folder.path, typeof content === "string" ? name : `${name}.json`);
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
      return file;
    },
    load: ({ environment = {}, grants = new MemoryGrantStore(), allowPrivateHosts = [], ...facts } = {}) =>
      loadCatalog({ folders: [{ dir: folder.path, ...facts }], environment, grants, allowPrivateHosts }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

type Json = Record<string, unknown>;

/** A small correct file; members given replace those of the same name at the top level. */
export function manifest(changes: Json = {}): Json {
  return {
    mkt: 1,
    provider: "shop",
    secrets: { key: { env: "SHOP_KEY" } },
    http: { baseUrl: "https://api.shop.example", auth: { type: "bearer", token: "${secret.key}" } },
    endpoints: { "/items/{id}": endpoint() },
    ...changes,
  };
}

/** A correct endpoint; members given replace those of the same name. */
export function endpoint(changes: Json = {}): Json {
  return {
    request: { method: "POST", path: "/v1/items/{id}" },
    input: {
      pathParams: { required: ["id"], properties: { id: { type: "string" } } },
      queryParams: { properties: { lang: { enum: ["en", "pt"], default: "en" } } },
      body: {
        properties: {
          limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
          free: { type: "integer" },
          kind: { enum: ["a", "b"] },
        },
      },
    },
    price: { type: "PER_CALL", amount: 0.01 },
    ...changes,
  };
}
