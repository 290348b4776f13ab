import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { documentsOfAll, type IndexedProviders, readProviders } from "./catalog-documents.ts";
import { runInTurns } from "./indexer.ts";
import type { ServedIndex } from "./served-index.ts";
import { chooseServed, isOneShard, sharesOf } from "./served-shards.ts";
import { buildShardInSteps, type IndexingOptions, mergeShardsInSteps, runAtOnce } from "./shard/build-shard.ts";
import type { Shard } from "./shard/shard.ts";

/**
 * Keeps the index of a small catalog, which is always one shard. A question and the preparation of the index work on the same
 * update: whoever comes to it does the next steps.
 */
export class SmallCatalog {
  readonly #index: ServedIndex;
  readonly #indexing: IndexingOptions;
  #update: { readonly listed: readonly CatalogEntry[]; readonly steps: Generator<void, void> } | undefined;

  constructor(index: ServedIndex, indexing: IndexingOptions) {
    this.#index = index;
    this.#indexing = indexing;
  }

  /** Brings the index up to this list before it returns. */
  updateAtOnce(listed: readonly CatalogEntry[]): void {
    runAtOnce(this.#stepsTo(listed));
  }

  /** Brings the index up to this list while other work goes on. */
  async updateInTurns(listed: readonly CatalogEntry[]): Promise<void> {
    const steps = this.#stepsTo(listed);
    // Somebody else may have ended it, or begun with a newer catalog.
    await runInTurns(whileTrue(() => this.#update?.steps === steps, steps));
  }

  /** What an update to this list has still to do. */
  #stepsTo(listed: readonly CatalogEntry[]): Generator<void, void> {
    if (this.#update?.listed !== listed) this.#update = { listed, steps: this.#begin(listed) };
    return this.#update.steps;
  }

  *#begin(listed: readonly CatalogEntry[]): Generator<void, void> {
    const index = this.#index;
    try {
      const providers = yield* readProviders(listed, index.now?.providers);
      const whole = yield* wholeOf(index.shards, providers, this.#indexing);
      index.replaceShards([whole]);
      index.publish(listed, providers);
    } finally {
      if (this.#update?.listed === listed) this.#update = undefined;
    }
  }
}

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

function* whileTrue(isWanted: () => boolean, steps: Generator<void, void>): Generator<void, void> {
  while (isWanted() && steps.next().done !== true) yield;
}
