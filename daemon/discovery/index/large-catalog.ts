import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { documentsOfAll, type IndexedProviders, readProviders } from "./catalog-documents.ts";
import type { IndexFile } from "./index-file.ts";
import { type Indexer, runInTurns } from "./indexer.ts";
import type { ServedIndex } from "./served-index.ts";
import { chooseServed, isScattered, type Serving, sharesOf } from "./served-shards.ts";
import type { Shard } from "./shard/shard.ts";

/** When more than this share is new, everything is indexed again. */
const MAX_ADDED_SHARE = 0.5;

export interface LargeCatalogParts {
  /** The same list object until something changes. */
  readonly entries: () => readonly CatalogEntry[];
  /** For whole indexes. */
  readonly indexer: Indexer;
  /** For up to `fewUpTo` documents, which are cheaper to index here than to send to another thread. */
  readonly indexerOfFew: Indexer;
  readonly fewUpTo: number;
  /** Where the index is saved; absent: nowhere. */
  readonly file: IndexFile | undefined;
  /** Called when merging shards failed; the old ones continue to serve. */
  readonly onMergeFailed: ((error: unknown) => void) | undefined;
}

/**
 * Keeps the index of a large catalog. Only the providers that changed are indexed again, as an additional shard; when
 * there are too many shards, they are merged. Queries meanwhile use the existing index.
 */
export class LargeCatalog {
  readonly #index: ServedIndex;
  readonly #parts: LargeCatalogParts;
  #isLoaded = false;
  #isClosed = false;
  #merging: Promise<void> | undefined;

  constructor(index: ServedIndex, parts: LargeCatalogParts) {
    this.#index = index;
    this.#parts = parts;
  }

  /**
   * Runs until every provider is in one of the shards; a change in the meantime is handled in the next round. One at a
   * time.
   */
  async update(): Promise<void> {
    const index = this.#index;
    const { entries } = this.#parts;
    await this.#load();
    for (let listed = entries(); !index.isOf(listed); listed = entries()) {
      const providers = await runInTurns(readProviders(listed, index.now?.providers));
      const { missing } = chooseServed(index.shards, providers);
      if (missing.length > 0) index.replaceShards(await this.#shardsWith(missing, providers));
      if (chooseServed(index.shards, providers).missing.length === 0) index.publish(listed, providers);
    }
    if (this.#merging === undefined && this.#scattered() !== undefined) this.#merging = this.#merge();
  }

  /** Starts no further merge. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when the merge in progress has ended, successfully or not. */
  async merged(): Promise<void> {
    await this.#merging;
  }

  /** A shard from an earlier process is treated like any other: it serves the documents that have not changed. */
  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const loaded = await this.#parts.file?.load();
    if (loaded !== undefined) this.#index.replaceShards([...this.#index.shards, loaded]);
  }

  async #shardsWith(missing: readonly string[], providers: IndexedProviders): Promise<readonly Shard[]> {
    const { indexer, indexerOfFew, fewUpTo, file } = this.#parts;
    const documents = countEntries(providers, missing);
    if (documents > countEntries(providers, providers.keys()) * MAX_ADDED_SHARE) {
      const whole = await indexer.build(documentsOfAll(providers, providers.keys()));
      file?.save(whole);
      return [whole];
    }
    const fitting = documents > fewUpTo ? indexer : indexerOfFew;
    const beside = await fitting.build(documentsOfAll(providers, missing), this.#index.shards[0]?.meanLengths);
    return [...this.#index.shards, beside];
  }

  /** What is served, if the shards should be merged. */
  #scattered(): Serving | undefined {
    const serving = this.#index.now?.serving;
    return !this.#isClosed && serving !== undefined && isScattered(serving) ? serving : undefined;
  }

  async #merge(): Promise<void> {
    try {
      // Changes during the merge are in separate shards, and there may be too many again.
      for (let serving = this.#scattered(); serving !== undefined; serving = this.#scattered()) {
        await this.#mergeOnce(serving);
      }
    } catch (error) {
      if (!this.#isClosed) this.#parts.onMergeFailed?.(error);
    } finally {
      this.#merging = undefined;
    }
  }

  async #mergeOnce(serving: Serving): Promise<void> {
    const index = this.#index;
    const merged = await this.#parts.indexer.merge(sharesOf(serving));
    const replaced = new Set(serving.served.map(({ shard }) => shard));
    index.replaceShards([merged, ...index.shards.filter((shard) => !replaced.has(shard))]);
    const { now } = index;
    if (now !== undefined) index.publish(now.listed, now.providers);
    this.#parts.file?.save(merged);
  }
}

function countEntries(providers: IndexedProviders, slugs: Iterable<string>): number {
  let count = 0;
  for (const slug of slugs) count += providers.get(slug)?.entries.length ?? 0;
  return count;
}
