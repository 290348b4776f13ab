import type { IndexView } from "../index/index-view.ts";
import type { Segment } from "../index/segment.ts";
import { rarity } from "../rarity.ts";
import type { Ask } from "./ask.ts";
import { type CandidateReader, createCandidateReader, type TextEvidence } from "./candidate-reader.ts";

/** Reads documents of a view for a query, whichever part they are in. */
export interface EvidenceReader {
  read(document: number): TextEvidence;
  close(): void;
}

/** Makes a reader for each query, in memory that is taken once. One at a time. */
export function createEvidenceReading(view: IndexView): (ask: Ask, worths: Float64Array) => EvidenceReader {
  const parts = view.segments.map(({ segment, offset }) => ({
    segment,
    offset,
    places: new Uint16Array(segment.termCount),
    lastSeen: new Uint32Array(segment.termCount),
    rarityOf: createTermRarity(view, segment),
  }));
  return (ask, worths) => {
    const pairWorths = pairWorthsOf(ask, worths);
    const readers: { readonly offset: number; readonly reader: CandidateReader }[] = parts.map(
      ({ segment, offset, places, lastSeen, rarityOf }) => ({
        offset,
        reader: createCandidateReader({ segment, places, lastSeen, words: ask.words, worths, pairWorths, rarityOf }),
      }),
    );
    return {
      read(document) {
        const part = readers.findLast(({ offset }) => offset <= document);
        if (part === undefined) throw new RangeError(`the index has no document ${document}`);
        return part.reader.read(document - part.offset);
      },
      close() {
        for (const { reader } of readers) reader.close();
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
    const found = rarity(view.documentsWith(segment.stemOf(term)), view.size);
    known[term] = found;
    return found;
  };
}

/** A pair says no more than the word of it that says less. */
function pairWorthsOf({ words, sequence }: Ask, worths: Float64Array): Float64Array {
  const pairs = new Float64Array(words.length * words.length);
  for (const [at, first] of sequence.entries()) {
    const second = sequence[at + 1] ?? -1;
    if (first < 0 || second < 0 || first === second) continue;
    pairs[first * words.length + second] = Math.min(worths[first] ?? 0, worths[second] ?? 0);
  }
  return pairs;
}
