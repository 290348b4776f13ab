import type { Evidence, Gathered } from "./gather.ts";
import { orderByVariety } from "../signals/variety.ts";
import type { ShapeFit } from "../signals/shape-fit.ts";
import type { RankingWeights } from "../weights/ranking-weights.ts";

/** A document that a query may mean, with its relevance. */
export interface Candidate extends Evidence {
  /**
   * Words and meaning combined, relative to the best by each: 0 to 1 for words, and up to the weight of similarity for
   * meaning.
   */
  readonly relevance: number;
}

/** By words and by meaning, documents below this position count as nothing. */
const DEPTH = 100;

/** A query of up to this many stems has a single wish. */
const BRIEF = 8;

export interface FuseOptions {
  /** Orders documents that have the same relevance. */
  readonly compare: (a: number, b: number) => number;
  /** At most this many, the best. */
  readonly limit: number;
}

/** Best first. */
export function fuse(
  { ask, worths, asked, found, matchesOf }: Gathered,
  weights: RankingWeights,
  { compare, limit }: FuseOptions,
): Candidate[] {
  const words = relativeToBest(found.map((evidence) => wordScore(evidence, asked, weights)));
  const meaning = relativeToBest(found.map((evidence) => meaningScore(evidence, weights)));
  // A long query is specific enough in its words.
  const gate = (weights.similarity * weights.similarityHalf) / (weights.similarityHalf + ask.stems.length);
  // Of a long query, what it brings along is for one wish of several.
  const brief = Math.min(1, BRIEF / ask.stems.length);
  const relevances = found.map(
    ({ fit }, place) =>
      (words.shares[place] ?? 0) + gate * (meaning.shares[place] ?? 0) + shapeScore(fit, weights, brief),
  );
  putSearchesFirst(found, relevances, weights.lacksId);
  const relevanceOf = (place: number) => relevances[place] ?? 0;
  const documentOf = (place: number) => found[place]?.document ?? 0;
  const best = [...found.keys()].sort(
    (a, b) => relevanceOf(b) - relevanceOf(a) || compare(documentOf(a), documentOf(b)),
  );
  const contenders = {
    count: best.length,
    relevanceOf: (place: number) => relevanceOf(best[place] ?? 0),
    matchesOf: (place: number) => matchesOf(documentOf(best[place] ?? 0)),
  };
  return orderByVariety(contenders, worths, words.range > 0 ? weights.variety / words.range : 0)
    .slice(0, limit)
    .flatMap((place) => {
      const evidence = found[best[place] ?? 0];
      return evidence === undefined ? [] : candidateOf(evidence, relevanceOf(best[place] ?? 0));
    });
}

/** Member by member, because a spread takes a tenth of a query's time for a whole pool. */
function candidateOf(evidence: Evidence, relevance: number): Candidate {
  const { document, matched, share, text, provider, cosine, clauseCosine, providerCosine, group, fit } = evidence;
  return { document, matched, share, text, provider, cosine, clauseCosine, providerCosine, group, fit, relevance };
}

function wordScore({ matched, share, text, provider }: Evidence, asked: number, weights: RankingWeights): number {
  const score =
    matched * (1 + weights.coverage * share) +
    weights.phrases * text.phrases +
    weights.namePhrases * text.namePhrases +
    weights.nameShare * text.nameShare +
    weights.descriptionShare * text.descriptionShare +
    weights.askLikeness * text.askLikeness * asked +
    weights.providerBest * provider.best +
    weights.providerMean * provider.mean;
  return score * text.honesty;
}

function meaningScore({ cosine, clauseCosine, providerCosine }: Evidence, weights: RankingWeights): number {
  return cosine + weights.clauseSimilarity * clauseCosine + weights.providerSimilarity * providerCosine;
}

/** Between two endpoints one of which is put below the other. */
const BELOW = 1e-6;

/**
 * An endpoint that answers only for an identifier, which the query does not have, comes after the search of the same
 * provider if that is hardly less relevant.
 */
function putSearchesFirst(found: readonly Evidence[], relevances: number[], margin: number): void {
  if (margin === 0 || !found.some(({ fit }) => fit.lacksId)) return;
  const ofSearches = new Map<number, number>();
  for (const [place, { fit, group }] of found.entries()) {
    if (fit.searches) ofSearches.set(group, Math.max(ofSearches.get(group) ?? 0, relevances[place] ?? 0));
  }
  for (const [place, { fit, group }] of found.entries()) {
    const own = relevances[place] ?? 0;
    const search = ofSearches.get(group) ?? 0;
    if (fit.lacksId && search < own && own - search <= margin) relevances[place] = search - BELOW;
  }
}

function shapeScore(fit: ShapeFit, weights: RankingWeights, brief: number): number {
  return (
    brief * weights.takesBrought * fit.takesBrought -
    weights.uncovered * fit.uncovered -
    weights.takesWanted * fit.takesWanted -
    weights.otherEffect * fit.otherOrder
  );
}

interface RelativeScores {
  /** 1 for the best, 0 for the one at `DEPTH` and all below it; linear in between. */
  readonly shares: readonly number[];
  /** From the score at `DEPTH` to the best. */
  readonly range: number;
}

function relativeToBest(scores: readonly number[]): RelativeScores {
  // A typed array of numbers is sorted without a comparison function, in a tenth of the time.
  const ascending = new Float64Array(scores).sort();
  const [best = 0, least = 0] = [ascending.at(-1), ascending.at(-DEPTH)];
  const range = best - least;
  const shares = scores.map((score) =>
    range > 0 ? Math.max(0, (score - least) / range) : Number(score > 0 && score >= best),
  );
  return { shares, range };
}
