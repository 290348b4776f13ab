import type { IndexView, LiveShard } from "../../index/index-view.ts";
import type { Shard } from "../../index/shard/shard.ts";
import { rarity } from "../query/rarity.ts";
import type { Ask } from "../query/ask.ts";
import { CandidateReader, type TextEvidence } from "./candidate-reader.ts";
import { wordPairsOf } from "../query/word-pairs.ts";

/** Reads documents of a view for a query, whichever shard they are in. */
export interface EvidenceReader {
  read(document: number): TextEvidence;
  close(): void;
}

/** Makes a reader for each query, in memory that is allocated once. One at a time. */
export function createEvidenceReading(view: IndexView): (ask: Ask, worths: Float64Array) => EvidenceReader {
  const prepared = view.shards.map((part) => ({
    part,
    shard: part.shard,
    scratch: {
      places: new Uint16Array(part.shard.termCount),
      lastSeen: new Uint32Array(part.shard.termCount),
    },
    rarityOf: createTermRarity(view, part.shard),
  }));
  return (ask, worths) => {
    const pairs = wordPairsOf(ask, worths);
    const readers = new Map(
      prepared.map(({ part, ...each }) => [part, new CandidateReader({ ...each, words: ask.words, worths, pairs })]),
    );
    const readerOf = (part: LiveShard) => {
      const reader = readers.get(part);
      if (reader === undefined) throw new Error("a view has a part that it did not have before");
      return reader;
    };
    return {
      read(document) {
        const part = view.partOf(document);
        return readerOf(part).read(document - part.offset);
      },
      close() {
        for (const reader of readers.values()) reader.close();
      },
    };
  };
}

/** The rarity of a shard's term in the whole view; looked up once for each term. */
function createTermRarity(view: IndexView, shard: Shard): (term: number) => number {
  const known = new Float32Array(shard.termCount).fill(-1);
  return (term) => {
    const before = known[term] ?? -1;
    if (before >= 0) return before;
    const found = Math.fround(rarity(view.documentsWith(shard.stemOf(term)), view.size));
    known[term] = found;
    return found;
  };
}
