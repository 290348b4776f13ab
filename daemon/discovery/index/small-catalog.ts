import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { documentsOfAll, type IndexedProviders, readProviders } from "./catalog-documents.ts";
import { runInTurns } from "./indexer.ts";
import type { ServedIndex } from "./served-index.ts";
import { chooseServed, isOneShard, sharesOf } from "./served-shards.ts";
import { buildShardInSteps, type IndexingOptions, mergeShardsInSteps, runAtOnce } from "./shard/build-shard.ts";
import type { Shard } from "./shard/shard.ts";

/**
 * Keeps the index of a small catalog, which is always one shard. Queries and preparation share the same update: whoever
 * runs next does its next steps.
 */
export class SmallCatalog {
  readonly #index: ServedIndex;
  readonly #indexing: IndexingOptions;
  /** What a first update takes from; none afterwards. */
  #prepared: readonly Shard[];
  #update: { readonly listed: readonly CatalogEntry[]; readonly steps: Generator<void, void> } | undefined;

  /** `prepared`: a whole index that has some of the documents, from a build. */
  constructor(index: ServedIndex, indexing: IndexingOptions, prepared?: Shard) {
    this.#index = index;
    this.#indexing = indexing;
    this.#prepared = prepared === undefined ? [] : [prepared];
  }

  /** Brings the index up to this list before it returns. */
  updateAtOnce(listed: readonly CatalogEntry[]): void {
    runAtOnce(this.#stepsTo(listed));
  }

  /** Brings the index up to this list in the background. */
  async updateInTurns(listed: readonly CatalogEntry[]): Promise<void> {
    const steps = this.#stepsTo(listed);
    // A query may have finished it, or started an update to a newer catalog.
    await runInTurns(whileTrue(() => this.#update?.steps === steps, steps));
  }

  /** The remaining steps of an update to this list. */
  #stepsTo(listed: readonly CatalogEntry[]): Generator<void, void> {
    if (this.#update?.listed !== listed) this.#update = { listed, steps: this.#begin(listed) };
    return this.#update.steps;
  }

  *#begin(listed: readonly CatalogEntry[]): Generator<void, void> {
    const index = this.#index;
    try {
      const providers = yield* readProviders(listed, index.now?.providers);
      const whole = yield* wholeOf([...this.#prepared, ...index.shards], providers, this.#indexing);
      index.replaceShards([whole]);
      index.publish(listed, providers);
      this.#prepared = [];
    } finally {
      if (this.#update?.listed === listed) this.#update = undefined;
    }
  }
}

/** Makes one shard of all providers, reusing the existing shards where possible. */
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

function* whileTrue(isWanted: () => boolean, steps: Generator<void, void>): Generator<void, void> {
  while (isWanted() && steps.next().done !== true) yield;
}
