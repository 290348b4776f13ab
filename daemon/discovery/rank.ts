import type { QueryWord } from "../text/analyse-text.ts";
import type { Postings } from "./index-builder.ts";

/**
 * How a score comes about. Every step means the same in a catalog of ten endpoints and in one of a hundred thousand.
 *
 *   worth(word)  = weight · rarity       rarity 0 … 1: how few endpoints have the word; 1 when none has
 *   found(doc)   = Σ worth · match       the evidence, counted in words that say something
 *   asked        = Σ worth, at most ASKED_CAP: of a long story only a part is the wish
 *   share(doc)   = found / asked         how much of the wish is met
 *   score        = 2 · x / (1 + x)  with  x = STRENGTH · found · share
 *
 * A short query is held to its share, a long one to its amount of evidence; one word shared by chance has little of both.
 * Within a query the score grows with `found` alone, so the order is that of the index (BM25F).
 */
const ASKED_CAP = 2.5;
const STRENGTH = 1.6;

/** Documents that a small catalog is thought to have beside its own: without them no word would be rare there. */
const BACKGROUND_DOCUMENTS = 1_000;

export const MAX_SCORE = 2;

/** A document with its score, above 0 and below 2. */
export interface Ranked {
  readonly document: number;
  readonly score: number;
}

export interface RankOptions {
  /** At most this many, the best. */
  readonly limit: number;
  /** Leaves a document out before the limit is counted. */
  readonly accept?: (document: number) => boolean;
}

/** What ranking reads of an index. */
export interface WordIndex {
  readonly size: number;
  lookUp(word: QueryWord): Postings;
}

/** The documents that have something of the query, best first; those with the same score in the order of the index. */
export function rank(index: WordIndex, query: readonly QueryWord[], { limit, accept }: RankOptions): Ranked[] {
  const found = new Float64Array(index.size);
  let asked = 0;
  for (const word of query) {
    const { documents, matches } = index.lookUp(word);
    const worth = word.weight * rarity(documents.length, index.size);
    asked += worth;
    documents.forEach((document, place) => {
      found[document] = (found[document] ?? 0) + worth * (matches[place] ?? 0);
    });
  }
  const ranked: Ranked[] = [];
  found.forEach((evidence, document) => {
    if (evidence > 0) ranked.push({ document, score: scoreOf(evidence, asked) });
  });
  ranked.sort((a, b) => b.score - a.score || a.document - b.document);
  return accept === undefined ? ranked.slice(0, limit) : takeAccepted(ranked, limit, accept);
}

function takeAccepted(ranked: readonly Ranked[], limit: number, accept: (document: number) => boolean): Ranked[] {
  const taken: Ranked[] = [];
  for (const candidate of ranked) {
    if (taken.length === limit) break;
    if (accept(candidate.document)) taken.push(candidate);
  }
  return taken;
}

/** The score of an amount of evidence for a query that asks for so much; both in words that say something. */
function scoreOf(found: number, asked: number): number {
  const x = (STRENGTH * found * found) / Math.min(asked, ASKED_CAP);
  return (MAX_SCORE * x) / (1 + x);
}

/** 1 for a word that no document has, falling towards 0 for one that every document has. */
export function rarity(documentsWithWord: number, documents: number): number {
  const own = inverseFrequency(documentsWithWord, documents);
  const withBackground = inverseFrequency(documentsWithWord, documents + BACKGROUND_DOCUMENTS);
  return (own + withBackground) / 2;
}

function inverseFrequency(withWord: number, all: number): number {
  return Math.log(1 + (all - withWord + 0.5) / (withWord + 0.5)) / Math.log(1 + (all + 0.5) / 0.5);
}
