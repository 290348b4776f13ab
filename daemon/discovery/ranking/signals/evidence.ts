import type { IndexView, LiveSegment } from "../../index/index-view.ts";
import type { Segment } from "../../index/shard/shard.ts";
import { rarity } from "../query/rarity.ts";
import type { Ask } from "../query/ask.ts";
import { createCandidateReader, type TextEvidence } from "./candidate-reader.ts";
import { wordPairsOf } from "../query/word-pairs.ts";

/** Reads documents of a view for a query, whichever part they are in. */
export interface EvidenceReader {
  read(document: number): TextEvidence;
  close(): void;
}

/** Makes a reader for each query, in memory that is taken once. One at a time. */
export function createEvidenceReading(view: IndexView): (ask: Ask, worths: Float64Array) => EvidenceReader {
  const prepared = view.segments.map((part) => ({
    part,
    segment: part.segment,
    scratch: {
      places: new Uint16Array(part.segment.termCount),
      lastSeen: new Uint32Array(part.segment.termCount),
    },
    rarityOf: createTermRarity(view, part.segment),
  }));
  return (ask, worths) => {
    const pairs = wordPairsOf(ask, worths);
    const readers = new Map(
      prepared.map(({ part, ...each }) => [part, createCandidateReader({ ...each, words: ask.words, worths, pairs })]),
    );
    const readerOf = (part: LiveSegment) => {
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

/** How much a term of a part says in the whole view; asked of the index once a term. */
function createTermRarity(view: IndexView, segment: Segment): (term: number) => number {
  const known = new Float32Array(segment.termCount).fill(-1);
  return (term) => {
    const before = known[term] ?? -1;
    if (before >= 0) return before;
    const found = Math.fround(rarity(view.documentsWith(segment.stemOf(term)), view.size));
    known[term] = found;
    return found;
  };
}
