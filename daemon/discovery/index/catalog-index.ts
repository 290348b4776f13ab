import { ApiError } from "../../../shared/errors.ts";
import { withinTime } from "../../base/within-time.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { IndexFile } from "./index-file.ts";
import { createInProcessIndexer, type Indexer } from "./indexer.ts";
import { LargeCatalog } from "./large-catalog.ts";
import { ServedIndex } from "./served-index.ts";
import type { IndexedCatalog } from "./served-shards.ts";
import type { IndexingOptions } from "./shard/build-shard.ts";
import type { Shard } from "./shard/shard.ts";
import { SmallCatalog } from "./small-catalog.ts";

export type { IndexedCatalog } from "./served-shards.ts";

/** The index of the current catalog, or a slightly older one. */
export interface CatalogIndex extends AsyncDisposable {
  /**
   * Updates the index of a small catalog; for a large one, returns the last index that was prepared. Throws
   * `unavailable` for a large catalog that has none yet.
   */
  current(): IndexedCatalog;
  /** Resolves when `current` can return an index; rejects with `unavailable` when that takes too long. */
  ready(): Promise<void>;
  /** Updates the index in the background. */
  prepare(): Promise<void>;
  /** Stops the work in progress. */
  close(): Promise<void>;
}

export interface CatalogIndexParts {
  /** The same list object until something changes. */
  readonly entries: () => readonly CatalogEntry[];
  readonly indexing?: IndexingOptions;
  /** The indexer for large catalogs; absent: this thread, in short time slices. */
  readonly indexer?: Indexer;
  /** Where the index of a large catalog is saved; absent: nowhere. */
  readonly file?: IndexFile;
  /** A whole index of some of the documents of a small catalog, from a build. */
  readonly prepared?: Shard | undefined;
  /** Catalogs with more endpoints than this are large. */
  readonly smallUpTo?: number;
  /** Called when merging shards failed; the old ones continue to serve. */
  readonly onMergeFailed?: (error: unknown) => void;
}

/** This many endpoints are indexed in less time than a person notices. */
const SMALL = 2_000;
/** The time that a first query waits for the index of a large catalog. */
const READY_MS = 20_000;
const RETRY_SECONDS = 2;

/** Keeps the index up to date with the catalog, in the way that fits the catalog's size. */
export function createCatalogIndex(parts: CatalogIndexParts): CatalogIndex {
  return new CatalogIndexOfParts(parts);
}

class CatalogIndexOfParts implements CatalogIndex {
  readonly #entries: CatalogIndexParts["entries"];
  readonly #smallUpTo: number;
  readonly #indexer: Indexer;
  readonly #file: IndexFile | undefined;
  readonly #index = new ServedIndex();
  readonly #small: SmallCatalog;
  readonly #large: LargeCatalog;
  /** The last requested preparation; it begins after all earlier ones have ended. */
  #preparing: Promise<void> = Promise.resolve();
  /** The number of preparations that wait for `#preparing` or an earlier one. */
  #waiting = 0;
  #isClosed = false;

  constructor({ entries, indexing = {}, file, smallUpTo = SMALL, prepared, ...parts }: CatalogIndexParts) {
    const inProcess = createInProcessIndexer(indexing);
    this.#entries = entries;
    this.#smallUpTo = smallUpTo;
    this.#indexer = parts.indexer ?? inProcess;
    this.#file = file;
    this.#small = new SmallCatalog(this.#index, indexing, prepared);
    this.#large = new LargeCatalog(this.#index, {
      entries,
      indexer: this.#indexer,
      indexerOfFew: inProcess,
      fewUpTo: SMALL,
      file,
      onMergeFailed: parts.onMergeFailed,
    });
  }

  current(): IndexedCatalog {
    const listed = this.#entries();
    if (!this.#index.isOf(listed) && this.#isSmall(listed)) this.#small.updateAtOnce(listed);
    const { now } = this.#index;
    if (now === undefined) throw notYet(listed.length);
    return now.catalog;
  }

  async ready(): Promise<void> {
    if (this.#index.now !== undefined || this.#isSmall(this.#entries())) return;
    // A failure is reported to the caller of `prepare`.
    const prepared = (this.#waiting > 0 ? this.#preparing : this.prepare()).catch(() => {});
    await withinTime(prepared, READY_MS);
    if (this.#index.now === undefined) throw notYet(this.#entries().length);
  }

  async prepare(): Promise<void> {
    const own = this.#preparing.catch(() => {}).then(() => this.#prepareNow());
    this.#preparing = own;
    this.#waiting += 1;
    try {
      await own;
    } catch (error) {
      if (!this.#isClosed) throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#large.close();
    await this.#indexer.close();
    await Promise.allSettled([this.#preparing, this.#large.merged()]);
    await this.#file?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #prepareNow(): Promise<void> {
    const listed = this.#entries();
    if (this.#isClosed || this.#index.isOf(listed)) return;
    if (this.#isSmall(listed)) await this.#small.updateInTurns(listed);
    else await this.#large.update();
  }

  #isSmall({ length }: readonly CatalogEntry[]): boolean {
    return length <= this.#smallUpTo;
  }
}

function notYet(endpoints: number): ApiError {
  const message = `The ${endpoints} endpoints of the catalog are still being indexed; ask again in some seconds`;
  return new ApiError("unavailable", message, { retryAfterSeconds: RETRY_SECONDS });
}
