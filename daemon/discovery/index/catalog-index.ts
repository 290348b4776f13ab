import { setTimeout } from "node:timers/promises";
import { ApiError } from "../../../shared/errors.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import {
  buildShardInSteps,
  type IndexingOptions,
  mergeShardsInSteps,
  type ProviderDocuments,
  runAtOnce,
  type ShardShare,
} from "./shard/build-shard.ts";
import { documentsOf, type IndexedProviders, readProviders } from "./catalog-documents.ts";
import { createInProcessIndexer, type Indexer, runInTurns } from "./indexer.ts";
import type { IndexFile } from "./index-file.ts";
import type { Shard } from "./shard/shard.ts";
import {
  chooseServed,
  type IndexedCatalog,
  isOneShard,
  isScattered,
  type Serving,
  toIndexedCatalog,
} from "./served-shards.ts";

export type { IndexedCatalog } from "./served-shards.ts";

/** The index of the catalog as it is now, or as it was a moment ago. */
export interface CatalogIndex extends AsyncDisposable {
  /**
   * Brings the index of a small catalog up to now; that of a large one is the last that was prepared. Throws `unavailable` for
   * a large catalog that has none yet.
   */
  current(): IndexedCatalog;
  /** Resolves when `current` gives an index; rejects with `unavailable` when that takes too long. */
  ready(): Promise<void>;
  /** Brings the index up to now while other work goes on. */
  prepare(): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface CatalogIndexParts {
  /** The same object as long as nothing changes. */
  readonly entries: () => readonly CatalogEntry[];
  readonly indexing?: IndexingOptions;
  /** What large catalogs are indexed by; absent: in this thread, in short turns. */
  readonly indexer?: Indexer;
  /** Where the index of a large catalog is kept; absent: nowhere. */
  readonly file?: IndexFile;
  /** Larger catalogs are large. */
  readonly smallUpTo?: number;
  /** Told when several shards could not be made one: they go on serving. */
  readonly onMergeFailed?: (error: unknown) => void;
}

/** Up to so many endpoints are indexed in less time than a person notices. */
const SMALL = 2_000;
/** So long a first question waits for the index of a large catalog. */
const READY_MS = 20_000;
const RETRY_SECONDS = 2;

interface State {
  readonly listed: readonly CatalogEntry[];
  readonly providers: IndexedProviders;
  readonly serving: Serving;
  readonly catalog: IndexedCatalog;
}

/**
 * Keeps the index in step with the catalog. A small one is always one shard. Of a large one only the providers that changed
 * are indexed anew, as a shard beside the others; when these have become many, all are made one. Whoever asks meanwhile
 * is answered by what there is.
 */
export function createCatalogIndex(parts: CatalogIndexParts): CatalogIndex {
  const { entries, indexing = {}, file, smallUpTo = SMALL } = parts;
  const inProcess = createInProcessIndexer(indexing);
  const large = parts.indexer ?? inProcess;
  let shards: readonly Shard[] = [];
  let state: State | undefined;
  let updating: { readonly listed: readonly CatalogEntry[]; readonly steps: Generator<void, void> } | undefined;
  let preparing: Promise<void> = Promise.resolve();
  /** How many wait for it. */
  let waiting = 0;
  let merging: Promise<void> | undefined;
  let isLoaded = false;
  let isClosed = false;

  function publish(listed: readonly CatalogEntry[], providers: IndexedProviders): void {
    const serving = chooseServed(shards, providers);
    shards = serving.served.map(({ shard }) => shard);
    state = { listed, providers, serving, catalog: toIndexedCatalog(serving, providers) };
  }

  function* updateSmall(listed: readonly CatalogEntry[]): Generator<void, void> {
    try {
      const providers = yield* readProviders(listed, state?.providers);
      const whole = yield* wholeOf(shards, providers, indexing);
      shards = [whole];
      publish(listed, providers);
    } finally {
      if (updating?.listed === listed) updating = undefined;
    }
  }

  /** What an update of a small catalog has still to do. */
  function stepsOf(listed: readonly CatalogEntry[]): Generator<void, void> {
    if (updating?.listed !== listed) updating = { listed, steps: updateSmall(listed) };
    return updating.steps;
  }

  async function prepareSmall(listed: readonly CatalogEntry[]): Promise<void> {
    const steps = stepsOf(listed);
    // Somebody else may have ended it, or begun with a newer catalog.
    await runInTurns(whileTrue(() => updating?.steps === steps, steps));
  }

  /** Until every provider is in one of the shards; what changes meanwhile is seen to in the next round. */
  async function prepareLarge(): Promise<void> {
    if (!isLoaded) {
      isLoaded = true;
      const loaded = await file?.load();
      if (loaded !== undefined) shards = [...shards, loaded];
    }
    for (let listed = entries(); state?.listed !== listed; listed = entries()) {
      const providers = await runInTurns(readProviders(listed, state?.providers));
      const { missing } = chooseServed(shards, providers);
      if (missing.length > 0) shards = await shardsWith(missing, providers);
      if (chooseServed(shards, providers).missing.length === 0) publish(listed, providers);
    }
    mergeWhenScattered();
  }

  async function shardsWith(missing: readonly string[], providers: IndexedProviders): Promise<readonly Shard[]> {
    const documents = countEntries(providers, missing);
    if (documents > countEntries(providers, providers.keys()) * MAX_ADDED_SHARE) {
      const whole = await large.build(documentsOfAll(providers, providers.keys()));
      file?.save(whole);
      return [whole];
    }
    const indexer = documents > SMALL ? large : inProcess;
    const beside = await indexer.build(documentsOfAll(providers, missing), shards[0]?.meanLengths);
    return [...shards, beside];
  }

  function mergeWhenScattered(): void {
    if (merging === undefined && scattered() !== undefined) merging = mergeAll();
  }

  /** What is served, if it is time to make one shard of it. */
  function scattered(): Serving | undefined {
    return !isClosed && state !== undefined && isScattered(state.serving) ? state.serving : undefined;
  }

  async function mergeAll(): Promise<void> {
    try {
      // What changed meanwhile stands beside what was merged, and may be too much again.
      for (let serving = scattered(); serving !== undefined; serving = scattered()) await mergeOnce(serving);
    } catch (error) {
      if (!isClosed) parts.onMergeFailed?.(error);
    } finally {
      merging = undefined;
    }
  }

  async function mergeOnce(serving: Serving): Promise<void> {
    const merged = await large.merge(sharesOf(serving));
    const replaced = new Set(serving.served.map(({ shard }) => shard));
    shards = [merged, ...shards.filter((shard) => !replaced.has(shard))];
    if (state !== undefined) publish(state.listed, state.providers);
    file?.save(merged);
  }

  async function prepareNow(): Promise<void> {
    const listed = entries();
    if (isClosed || state?.listed === listed) return;
    if (listed.length > smallUpTo) await prepareLarge();
    else await prepareSmall(listed);
  }

  async function prepare(): Promise<void> {
    const own = preparing.catch(() => {}).then(prepareNow);
    preparing = own;
    waiting += 1;
    try {
      await own;
    } catch (error) {
      if (!isClosed) throw error;
    } finally {
      waiting -= 1;
    }
  }

  return {
    current() {
      const listed = entries();
      if (state?.listed !== listed && listed.length <= smallUpTo) runAtOnce(stepsOf(listed));
      if (state === undefined) throw notYet(listed.length);
      return state.catalog;
    },
    async ready() {
      if (state !== undefined || entries().length <= smallUpTo) return;
      // Whether it failed is told to whoever had it prepared.
      const prepared = (waiting > 0 ? preparing : prepare()).catch(() => {});
      await withinTime(prepared, READY_MS);
      if (state === undefined) throw notYet(entries().length);
    },
    prepare,
    async close() {
      isClosed = true;
      await large.close();
      await Promise.allSettled([preparing, merging]);
      await file?.close();
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** When more than this share is new, all is indexed anew. */
const MAX_ADDED_SHARE = 0.5;

/** One shard of all providers, made of what the shards already have as far as that goes. */
function* wholeOf(
  shards: readonly Shard[],
  providers: IndexedProviders,
  indexing: IndexingOptions,
): Generator<void, Shard> {
  const before = chooseServed(shards, providers);
  const [only] = before.served;
  if (only === undefined) return yield* buildShardInSteps(documentsOfAll(providers, providers.keys()), indexing);
  if (before.missing.length === 0 && isOneShard(before)) return only.shard;
  const { meanLengths } = only.shard;
  const changed = yield* buildShardInSteps(documentsOfAll(providers, before.missing), indexing, meanLengths);
  return yield* mergeShardsInSteps(sharesOf(chooseServed([...shards, changed], providers)), indexing);
}

function* documentsOfAll(providers: IndexedProviders, slugs: Iterable<string>): Generator<ProviderDocuments> {
  for (const slug of slugs) {
    const provider = providers.get(slug);
    if (provider !== undefined) yield documentsOf(slug, provider);
  }
}

function countEntries(providers: IndexedProviders, slugs: Iterable<string>): number {
  let count = 0;
  for (const slug of slugs) count += providers.get(slug)?.entries.length ?? 0;
  return count;
}

function sharesOf({ served }: Serving): ShardShare[] {
  return served.map(({ shard, groups }) => ({ shard, groups: [...groups] }));
}

function* whileTrue(isWanted: () => boolean, steps: Generator<void, void>): Generator<void, void> {
  while (isWanted() && steps.next().done !== true) yield;
}

async function withinTime(work: Promise<void>, timeoutMs: number): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, setTimeout(timeoutMs, undefined, { signal: over.signal, ref: false })]);
  } finally {
    over.abort();
  }
}

function notYet(endpoints: number): ApiError {
  const message = `The ${endpoints} endpoints of the catalog are still being indexed; ask again in some seconds`;
  return new ApiError("unavailable", message, { retryAfterSeconds: RETRY_SECONDS });
}
