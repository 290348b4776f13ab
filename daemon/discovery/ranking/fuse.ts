import type { Evidence, Gathered } from "./gather.ts";
import { orderByVariety } from "./variety.ts";
import type { RankingWeights } from "./weights.ts";

/** A document that a query may mean, with how much of it speaks for that. */
export interface Candidate extends Evidence {
  /** Words and meaning together, relative to the best by each: 0 to 1 for words, and as much as meaning counts. */
  readonly relevance: number;
}

/** By words and by meaning, what is below the place of this many counts as nothing. */
const DEPTH = 100;

/** Best first. `compare` orders those that have the same relevance. */
export function fuse(
  { ask, worths, asked, found, matchesOf }: Gathered,
  weights: RankingWeights,
  compare: (a: number, b: number) => number,
): Candidate[] {
  const words = relativeToBest(found.map((evidence) => wordScore(evidence, asked, weights)));
  const meaning = relativeToBest(found.map((evidence) => meaningScore(evidence, weights)));
  // A long query says in words what it means.
  const gate = (weights.similarity * weights.similarityHalf) / (weights.similarityHalf + ask.stems.length);
  const candidates = found
    .map((evidence, place) => ({
      ...evidence,
      relevance: (words.shares[place] ?? 0) + gate * (meaning.shares[place] ?? 0),
    }))
    .sort((a, b) => b.relevance - a.relevance || compare(a.document, b.document));
  const order = orderByVariety(
    candidates.map(({ document, relevance }) => ({ relevance, matches: () => matchesOf(document) })),
    worths,
    words.range > 0 ? weights.variety / words.range : 0,
  );
  return order.flatMap((place) => candidates[place] ?? []);
}

function wordScore({ matched, share, text, provider }: Evidence, asked: number, weights: RankingWeights): number {
  const score =
    matched * (1 + weights.coverage * share) +
    weights.phrases * text.phrases +
    weights.namePhrases * text.namePhrases +
    weights.near * text.near +
    weights.nameShare * text.nameShare +
    weights.descriptionShare * text.descriptionShare +
    weights.providerShare * text.providerShare +
    weights.askLikeness * text.askLikeness * asked +
    weights.providerBest * provider.best +
    weights.providerMean * provider.mean;
  return score * text.honesty;
}

function meaningScore({ cosine, clauseCosine, providerCosine }: Evidence, weights: RankingWeights): number {
  return cosine + weights.clauseSimilarity * clauseCosine + weights.providerSimilarity * providerCosine;
}

interface RelativeScores {
  /** 1 for the best, 0 for the one at `DEPTH` and all below it; of fewer each has its part. */
  readonly shares: readonly number[];
  /** From the one at `DEPTH` to the best. */
  readonly range: number;
}

function relativeToBest(scores: readonly number[]): RelativeScores {
  const descending = scores.toSorted((a, b) => b - a);
  const [best = 0, least = 0] = [descending[0], descending[DEPTH - 1]];
  const range = best - least;
  const shares = scores.map((score) =>
    range > 0 ? Math.max(0, (score - least) / range) : Number(score > 0 && score >= best),
  );
  return { shares, range };
}
