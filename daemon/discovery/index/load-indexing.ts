import { createHash } from "node:crypto";
import { loadWordVectors } from "../vectors/load-word-vectors.ts";
import { encodeWordTable } from "../vectors/word-table.ts";
import type { WordVectors } from "../vectors/word-vectors.ts";
import type { IndexingOptions } from "./shard/build-shard.ts";

/** The options for indexing, the same in the daemon's thread and in that of `bin/index-worker.ts`. */
export interface Indexing {
  readonly options: IndexingOptions;
  /** The vectors that documents and queries are compared by. */
  readonly vectors: WordVectors;
  /** The table from which another thread builds the same options: `indexingWith`. */
  encodedTable(): Uint8Array;
  /** Identifies these options, in addition to the build of the program: SHA-256 (hex). */
  stamp(): string;
}

let own: Promise<Indexing> | undefined;

/**
 * With the program's word vectors, which never change: read once, however many daemons a process starts. Rejects when they
 * cannot be read; the next call tries again.
 */
export async function loadIndexing(): Promise<Indexing> {
  own ??= loadWordVectors().then(indexingWith);
  try {
    return await own;
  } catch (error) {
    own = undefined;
    throw error;
  }
}

export function indexingWith(vectors: WordVectors): Indexing {
  return {
    options: { vectorOf: (stems) => vectors.documentVector(stems) },
    vectors,
    encodedTable: () => encodeWordTable(vectors.table),
    stamp: () => createHash("sha256").update(encodeWordTable(vectors.table)).digest("hex"),
  };
}
