import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { IndexedProviders } from "./catalog-documents.ts";
import { chooseServed, type IndexedCatalog, type Serving, toIndexedCatalog } from "./served-shards.ts";
import type { Shard } from "./shard/shard.ts";

/** A catalog as it was when it was listed, and its index. */
export interface ServedCatalog {
  /** The catalog's own list: the same object until something changes. */
  readonly listed: readonly CatalogEntry[];
  readonly providers: IndexedProviders;
  readonly serving: Serving;
  readonly catalog: IndexedCatalog;
}

/** The shards, and which of their documents are served. New shards are handed over here. */
export class ServedIndex {
  #shards: readonly Shard[] = [];
  #now: ServedCatalog | undefined;

  /** Undefined until the first `publish`. */
  get now(): ServedCatalog | undefined {
    return this.#now;
  }

  get shards(): readonly Shard[] {
    return this.#shards;
  }

  isOf(listed: readonly CatalogEntry[]): boolean {
    return this.#now?.listed === listed;
  }

  /** The new shards are not served before the next `publish`. */
  replaceShards(shards: readonly Shard[]): void {
    this.#shards = shards;
  }

  /** Serves the documents of these providers from the shards, and drops shards that serve nothing. */
  publish(listed: readonly CatalogEntry[], providers: IndexedProviders): void {
    const serving = chooseServed(this.#shards, providers);
    this.#shards = serving.served.map(({ shard }) => shard);
    this.#now = { listed, providers, serving, catalog: toIndexedCatalog(serving, providers) };
  }
}
