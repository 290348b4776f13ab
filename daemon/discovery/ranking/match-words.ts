import type { IndexView } from "../index/index-view.ts";
import type { AskedWord } from "./ask.ts";

/** What the words of a query found, over all documents of a view. Valid until the next query. */
export interface WordMatches {
  /** BM25F by document number: Σ worth · w / (K + w). */
  readonly scores: Float32Array;
  /** The documents that have any of the words, in no order. */
  readonly found: Uint32Array;
}

/** Of an asked word: what a match is worth. */
export type WorthOf = (word: AskedWord) => number;

/** Matches words of queries, one query after another, in memory that is taken once. */
export function createWordMatcher(
  view: IndexView,
): (words: readonly AskedWord[], worthOf: WorthOf, k: number) => WordMatches {
  const scores = new Float32Array(view.bound);
  const found = new Uint32Array(view.bound);
  let count = 0;
  return (words, worthOf, k) => {
    for (let place = 0; place < count; place += 1) scores[found[place] ?? 0] = 0;
    count = 0;
    for (const { segment, offset, dead } of view.segments) {
      const { postingStarts, postingDocuments, postingWeights } = segment;
      for (const word of words) {
        const term = segment.termOf(word.stem);
        if (term < 0) continue;
        const worth = worthOf(word);
        if (worth <= 0) continue;
        const end = postingStarts[term + 1] ?? 0;
        for (let at = postingStarts[term] ?? 0; at < end; at += 1) {
          const local = postingDocuments[at] ?? 0;
          if (dead !== undefined && dead[local] === 1) continue;
          const document = local + offset;
          const weight = postingWeights[at] ?? 0;
          const before = scores[document] ?? 0;
          if (before === 0) {
            found[count] = document;
            count += 1;
          }
          scores[document] = before + (worth * weight) / (k + weight);
        }
      }
    }
    return { scores, found: found.subarray(0, count) };
  };
}

/** How well a document matches a stem, 0 to 1: w / (K + w). */
export function matchOf(view: IndexView, document: number, stem: string, k: number): number {
  const part = view.segments.findLast(({ offset }) => offset <= document);
  const term = part?.segment.termOf(stem) ?? -1;
  if (part === undefined || term < 0) return 0;
  const { postingStarts, postingDocuments, postingWeights } = part.segment;
  const local = document - part.offset;
  let [low, high] = [postingStarts[term] ?? 0, postingStarts[term + 1] ?? 0];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((postingDocuments[middle] ?? 0) < local) low = middle + 1;
    else high = middle;
  }
  if (low >= (postingStarts[term + 1] ?? 0) || postingDocuments[low] !== local) return 0;
  const weight = postingWeights[low] ?? 0;
  return weight / (k + weight);
}
