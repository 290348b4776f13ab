import type { IndexView, LiveShard } from "../../index/index-view.ts";
import type { AskedWord } from "../query/asked-words.ts";
import type { WordMatch } from "./variety.ts";

/** The matches of a query's words, over all documents of a view. Valid until the next query. */
export interface WordMatches {
  /** BM25F by document number: Σ worth · w / (K + w); 0 for a document that has none of the words. */
  readonly scores: Float32Array;
  /** How well a document matches each of the words that it has: w / (K + w). */
  of(document: number): readonly WordMatch[];
}

/** `worths`: the weight of a full match of each word. */
export type WordMatcher = (words: readonly AskedWord[], worths: Float64Array) => WordMatches;

/** Matches words of queries, one query after another, in memory that is allocated once. `k`: the saturation. */
export function createWordMatcher(view: IndexView, k: number): WordMatcher {
  const scores = new Float32Array(view.bound);
  return (words, worths) => {
    const terms = new Map(view.shards.map((part) => [part, words.map(({ stem }) => part.shard.termOf(stem))]));
    scores.fill(0);
    for (const [part, termsOfPart] of terms) {
      for (const [place, term] of termsOfPart.entries()) {
        const worth = worths[place] ?? 0;
        if (term >= 0 && worth > 0) addPostings(scores, part, { term, worth, k });
      }
    }
    return {
      scores,
      of(document) {
        const part = view.partOf(document);
        return (terms.get(part) ?? []).flatMap((term, word) => {
          const weight = term < 0 ? 0 : weightOf(part, term, document);
          return weight > 0 ? { word, match: weight / (k + weight) } : [];
        });
      },
    };
  };
}

interface MatchedTerm {
  readonly term: number;
  readonly worth: number;
  readonly k: number;
}

function addPostings(scores: Float32Array, { shard, offset, dead }: LiveShard, { term, worth, k }: MatchedTerm): void {
  const { postingStarts, postingDocuments, postingWeights } = shard;
  const end = postingStarts[term + 1] ?? 0;
  for (let at = postingStarts[term] ?? 0; at < end; at += 1) {
    const local = postingDocuments[at] ?? 0;
    if (dead !== undefined && dead[local] === 1) continue;
    const weight = postingWeights[at] ?? 0;
    scores[local + offset] = (scores[local + offset] ?? 0) + (worth * weight) / (k + weight);
  }
}

/** The weight of a term in a document, by binary search; 0 when it does not have it. */
function weightOf({ shard, offset }: LiveShard, term: number, document: number): number {
  const { postingStarts, postingDocuments, postingWeights } = shard;
  const local = document - offset;
  const end = postingStarts[term + 1] ?? 0;
  let [low, high] = [postingStarts[term] ?? 0, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((postingDocuments[middle] ?? 0) < local) low = middle + 1;
    else high = middle;
  }
  return low < end && postingDocuments[low] === local ? (postingWeights[low] ?? 0) : 0;
}
