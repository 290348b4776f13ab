/**
 * How much each sign counts that an endpoint is what a query asks for. A part of the ranking is off when its weight is 0.
 * Chosen on the collections of the bench; `docs/discovery-figures.md` has what each brings, and what came of weights that were chosen
 * without the collection that they were measured on.
 */
export interface RankingWeights {
  /** Of BM25F: from which weight on more of a word says little more. */
  readonly saturation: number;
  /** A word that a query says n times is worth n to this power. */
  readonly repetition: number;
  /** What a name or a number is worth beside a word of the query; in full when 1. */
  readonly argument: number;
  /** What a mended slip is worth, likewise; nothing is mended when 0. */
  readonly slip: number;
  /** What a word of the thesaurus is worth beside one of the query, times its own weight. */
  readonly thesaurus: number;
  /** For documents that have all of what is asked: times 1 + coverage; less for those that have a part. */
  readonly coverage: number;
  /** For words that follow each other in the query and in the text; in its name. */
  readonly phrases: number;
  readonly namePhrases: number;
  /** For how much of its name the query asks for, and of its description. */
  readonly nameShare: number;
  readonly descriptionShare: number;
  /** For likeness to one of the asks that its author gave, times what the query asks for. */
  readonly askLikeness: number;
  /** For what the best of the provider's endpoints has, and its best five on average. */
  readonly providerBest: number;
  readonly providerMean: number;
  /** For nearness in meaning, of a short query; half of it at `similarityHalf` words. */
  readonly similarity: number;
  readonly similarityHalf: number;
  /** For nearness of the clause of the query that is nearest, beside that of the whole. */
  readonly clauseSimilarity: number;
  /** For nearness of the provider's endpoints together, beside it. */
  readonly providerSimilarity: number;
  /** Against results whose words better ones have served already. */
  readonly variety: number;
}

export const RANKING_WEIGHTS: RankingWeights = {
  saturation: 2.7,
  repetition: 0.27,
  argument: 0.6,
  slip: 0.8,
  thesaurus: 0.5,
  coverage: 0.25,
  phrases: 0.2,
  namePhrases: 0.2,
  nameShare: 0.5,
  descriptionShare: 0.1,
  askLikeness: 0.7,
  providerBest: 0.14,
  providerMean: 0.1,
  similarity: 1,
  similarityHalf: 10,
  clauseSimilarity: 0.5,
  providerSimilarity: 0.5,
  variety: 0.6,
};
