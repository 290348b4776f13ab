import { createHash } from "node:crypto";
import { loadWordVectors } from "../vectors/load-word-vectors.ts";
import { encodeWordTable } from "../vectors/word-table.ts";
import type { WordVectors } from "../vectors/word-vectors.ts";
import type { IndexingOptions } from "./shard/build-shard.ts";

/** How the program indexes, the same in the daemon's thread and in that of `bin/index-worker.ts`. */
export interface Indexing {
  readonly options: IndexingOptions;
  /** What documents and queries are compared by. */
  readonly vectors: WordVectors;
  /** What a thread makes the same of: `indexingWith`. */
  encodedTable(): Uint8Array;
  /** Tells these options from others, beside the build of the program: SHA-256 (hex). */
  stamp(): string;
}

/** Rejects where the word vectors of the program cannot be read. */
export async function loadIndexing(): Promise<Indexing> {
  return indexingWith(await loadWordVectors());
}

export function indexingWith(vectors: WordVectors): Indexing {
  return {
    options: { vectorOf: (stems) => vectors.documentVector(stems) },
    vectors,
    encodedTable: () => encodeWordTable(vectors.table),
    stamp: () => createHash("sha256").update(encodeWordTable(vectors.table)).digest("hex"),
  };
}
