import { analyseText } from "../../text/analyse-text.ts";
import type { IndexView } from "../index/index-view.ts";
import type { WordVectors } from "../vectors/word-vectors.ts";
import { type Ask, type AskedWord, type Expansion, readAsk } from "./ask.ts";
import { createBestOf } from "./best-of.ts";
import type { TextEvidence } from "./candidate-reader.ts";
import { clausesOf } from "./clauses.ts";
import { createEvidenceReading } from "./evidence.ts";
import { createWordMatcher } from "./match-words.ts";
import { createProviderEvidence, type ProviderEvidence } from "./provider-evidence.ts";
import { createSimilarityScan, type Similarity } from "./similarity.ts";
import { orderByVariety } from "./variety.ts";
import { RANKING_WEIGHTS, type RankingWeights } from "./weights.ts";

/** What ranking knows beside the index; each may be absent. */
export interface RankingKnowledge {
  readonly weights?: RankingWeights | undefined;
  /** Those that the documents of the index were given vectors by. */
  readonly vectors?: WordVectors | undefined;
  /** What else to look for. */
  readonly expand?: ((q: string) => readonly Expansion[]) | undefined;
}

export interface RankOptions {
  /** At most this many, the best. */
  readonly limit: number;
  /** Leaves a document out before the limit is counted. */
  readonly accept?: ((document: number) => boolean) | undefined;
}

/** A document that has something of a query, with what was found out about it. */
export interface Candidate {
  readonly document: number;
  /** BM25F over all fields. */
  readonly matched: number;
  /** Σ worth of the query's words that it has, and the share of them. */
  readonly covered: number;
  readonly share: number;
  readonly text: TextEvidence;
  readonly provider: ProviderEvidence;
  /** To the query in meaning, −1 to 1; 0 without vectors. */
  readonly cosine: number;
  /** Words and meaning together, relative to the best by each: above 0, seldom above 2. */
  readonly relevance: number;
}

/** A query's candidates, best first. */
export interface Ranking {
  readonly ask: Ask;
  /** Σ worth of the query's own words. */
  readonly asked: number;
  readonly candidates: readonly Candidate[];
}

export interface Ranker {
  rank(q: string, options: RankOptions): Ranking;
  /** The query as `rank` reads it, and what a full match of each of its words is worth. */
  read(q: string): { readonly ask: Ask; readonly worthOf: (word: AskedWord) => number };
}

/** Candidates that come by meaning alone, beside those that come by words. */
const SIMILAR = 100;
/** By words and by meaning, what is below the place of this many counts as nothing. */
const DEPTH = 100;

/** Ranks what one view of the index holds, one query after another. */
export function createRanker(
  view: IndexView,
  { weights = RANKING_WEIGHTS, vectors, expand }: RankingKnowledge = {},
): Ranker {
  const matchWords = createWordMatcher(view);
  const readEvidence = createEvidenceReading(view);
  const gatherProviders = createProviderEvidence(view);
  const scan = createSimilarityScan(view);
  const worthOf = ({ rarity, times, weight }: AskedWord) =>
    rarity * times ** weights.repetition * (weight === 1 ? 1 : weight * weights.thesaurus);

  function similarTo(q: string, ask: Ask, accept: (document: number) => boolean): SimilarDocuments | undefined {
    if (vectors === undefined || weights.similarity === 0) return undefined;
    const whole = scan(queryVector(vectors, ask.stems), SIMILAR, accept);
    const clauses = weights.clauseSimilarity === 0 ? [] : clausesOf(q);
    const byClause = clauses.map((clause) => scan(queryVector(vectors, analyseText(clause)), 0, accept));
    return { nearest: whole.nearest, cosineOf: whole.cosineOf, clauseCosineOf: nearestOf(byClause, whole) };
  }

  const read = (q: string) => readAsk(view, q, weights.thesaurus === 0 ? undefined : expand);

  return {
    read: (q) => ({ ask: read(q), worthOf }),
    rank(q, { limit, accept = () => true }) {
      const ask = read(q);
      const matches = matchWords(ask.words, worthOf, weights.saturation);
      const best = createBestOf(limit, view.compare);
      for (const document of matches.found) {
        const score = matches.scores[document] ?? 0;
        if (best.isWorth(score) && accept(document)) best.offer(document, score);
      }
      const similar = similarTo(q, ask, accept);
      const documents = new Set([...best.take().map(({ document }) => document), ...(similar?.nearest ?? [])]);

      const own = ask.words.filter(({ weight }) => weight === 1);
      const asked = own.reduce((sum, word) => sum + worthOf(word), 0);
      const providerOf = gatherProviders(matches);
      const reader = readEvidence(ask, worthOf);
      const found = Array.from(documents, (document) => {
        const text = reader.read(document);
        const matched = matches.scores[document] ?? 0;
        const provider = providerOf(document);
        const share = asked === 0 ? 0 : text.covered / asked;
        return {
          document,
          matched,
          covered: text.covered,
          share,
          text,
          provider,
          cosine: similar?.cosineOf(document) ?? 0,
          byWords: wordScore({ matched, share, text, provider }, weights) * text.honesty,
          byMeaning: meaningScore(document, similar, weights),
        };
      });
      reader.close();

      const gate = (weights.similarity * weights.similarityHalf) / (weights.similarityHalf + ask.stems.length);
      const [words, meaning] = [found.map(({ byWords }) => byWords), found.map(({ byMeaning }) => byMeaning)].map(
        relativeToBest,
      );
      const candidates = found
        .map((candidate, place) => ({
          ...candidate,
          relevance: (words?.[place] ?? 0) + gate * (meaning?.[place] ?? 0),
        }))
        .sort((a, b) => b.relevance - a.relevance || view.compare(a.document, b.document));
      const worths = Float64Array.from(ask.words, worthOf);
      const order = orderByVariety(
        candidates.map(({ relevance, text }) => ({ relevance, words: text.words })),
        worths,
        weights.variety,
      );
      return { ask, asked, candidates: order.flatMap((place) => candidates[place] ?? []).slice(0, limit) };
    },
  };
}

interface SimilarDocuments extends Similarity {
  clauseCosineOf(document: number): number;
}

function queryVector(vectors: WordVectors, stems: readonly string[]): Float32Array {
  return vectors.queryVector(stems.map((stem) => ({ stems: [stem], weight: 1 })));
}

/** A query of one clause is its clause. */
function nearestOf(clauses: readonly Similarity[], whole: Similarity): (document: number) => number {
  if (clauses.length < 2) return whole.cosineOf;
  return (document) => Math.max(...clauses.map(({ cosineOf }) => cosineOf(document)));
}

function wordScore(
  { matched, share, text, provider }: Pick<Candidate, "matched" | "share" | "text" | "provider">,
  weights: RankingWeights,
): number {
  return (
    matched * (1 + weights.coverage * share) +
    weights.phrases * text.phrases +
    weights.namePhrases * text.namePhrases +
    weights.near * text.near +
    weights.nameShare * text.nameShare +
    weights.descriptionShare * text.descriptionShare +
    weights.providerShare * text.providerShare +
    weights.providerBest * provider.best +
    weights.providerMean * provider.mean
  );
}

function meaningScore(document: number, similar: SimilarDocuments | undefined, weights: RankingWeights): number {
  if (similar === undefined) return 0;
  return similar.cosineOf(document) + weights.clauseSimilarity * similar.clauseCosineOf(document);
}

/** 1 for the best, 0 for the one at `DEPTH` and all below it; of fewer each has its part. */
function relativeToBest(scores: readonly number[]): number[] {
  const descending = scores.toSorted((a, b) => b - a);
  const [best = 0, least = 0] = [descending[0], descending[DEPTH - 1]];
  const range = best - least;
  return scores.map((score) => (range > 0 ? Math.max(0, (score - least) / range) : Number(score > 0)));
}
