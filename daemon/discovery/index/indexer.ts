import { setImmediate as nextTurn } from "node:timers/promises";
import {
  buildShardInSteps,
  type IndexingOptions,
  mergeShardsInSteps,
  type ProviderDocuments,
  type ShardShare,
} from "./shard/build-shard.ts";
import type { Shard } from "./shard/shard.ts";

/** Makes shards beside other work, one at a time. */
export interface Indexer {
  /**
   * A shard of these providers, by slug. With `meanLengths` one that stands beside the shard that they are of; without,
   * a whole index.
   */
  build(providers: Iterable<ProviderDocuments>, meanLengths?: readonly number[]): Promise<Shard>;
  /** A whole index of what is still wanted of several shards. */
  merge(shares: readonly ShardShare[]): Promise<Shard>;
  close(): Promise<void>;
}

/** So long other work waits at most, but for a single very long document. */
const TURN_MS = 5;

/** In the thread that asks, in short turns: for few documents, and where the program was not built. */
export function createInProcessIndexer(options: IndexingOptions): Indexer {
  return {
    build: async (providers, meanLengths) => await runInTurns(buildShardInSteps(providers, options, meanLengths)),
    merge: async (shares) => await runInTurns(mergeShardsInSteps(shares, options)),
    close: () => Promise.resolve(),
  };
}

/** What the steps come to; other work is done between them. Rejects when it is told to end before. */
export async function runInTurns<Result>(steps: Generator<void, Result>, signal?: AbortSignal): Promise<Result> {
  for (;;) {
    signal?.throwIfAborted();
    const end = performance.now() + TURN_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
    await nextTurn();
  }
}
