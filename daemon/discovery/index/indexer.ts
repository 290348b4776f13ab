import { setImmediate as nextTurn } from "node:timers/promises";
import {
  buildShardInSteps,
  type IndexingOptions,
  mergeShardsInSteps,
  type ProviderDocuments,
  type ShardShare,
} from "./shard/build-shard.ts";
import type { Shard } from "./shard/shard.ts";

/** Builds shards in the background, one at a time. */
export interface Indexer {
  /**
   * Builds a shard of these providers, by slug. With `meanLengths`, it complements the shard that they come from;
   * without, it is a whole index.
   */
  build(providers: Iterable<ProviderDocuments>, meanLengths?: readonly number[]): Promise<Shard>;
  /** Builds a whole index from the live parts of several shards. */
  merge(shares: readonly ShardShare[]): Promise<Shard>;
  close(): Promise<void>;
}

/** The longest that other work waits, except for a single very long document. */
const TURN_MS = 5;

/** Runs in the calling thread, in short time slices: for few documents, and when running from the sources. */
export function createInProcessIndexer(options: IndexingOptions): Indexer {
  return {
    build: async (providers, meanLengths) => await runInTurns(buildShardInSteps(providers, options, meanLengths)),
    merge: async (shares) => await runInTurns(mergeShardsInSteps(shares, options)),
    close: () => Promise.resolve(),
  };
}

/** The result of the steps; other work is done between them. Rejects when it is aborted. */
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
