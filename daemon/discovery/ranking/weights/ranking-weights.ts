/**
 * The weight of each sign that an endpoint is what a query asks for. A part of the ranking is off when its weight is 0.
 * Chosen on the collections of the bench; `docs/discovery-figures.md` shows the effect of each, and the results with
 * weights that were chosen without the collection that they were measured on.
 */
export interface RankingWeights {
  /** Saturation of BM25F: beyond this weight further occurrences add little. */
  readonly saturation: number;
  /** A word that occurs n times in a query counts n to this power. */
  readonly repetition: number;
  /** The weight of a name or a number compared with a word of the query; 1: the same. */
  readonly argument: number;
  /** The same for a corrected typing error; nothing is corrected when 0. */
  readonly slip: number;
  /** The weight of a thesaurus word compared with one of the query, multiplied by its own weight. */
  readonly thesaurus: number;
  /**
   * For documents that have all words of the query: the score is multiplied by 1 + coverage; less for those that have a
   * part.
   */
  readonly coverage: number;
  /** For words that are adjacent in the query and in the text; in its name. */
  readonly phrases: number;
  readonly namePhrases: number;
  /** For the share of its name that the query asks for, and of its description. */
  readonly nameShare: number;
  readonly descriptionShare: number;
  /** For the similarity to the closest ask of its author, multiplied by the weight of the query. */
  readonly askLikeness: number;
  /** For the score of the provider's best endpoint, and the mean of its best five. */
  readonly providerBest: number;
  readonly providerMean: number;
  /** For similarity in meaning of a short query; half of it at `similarityHalf` words. */
  readonly similarity: number;
  readonly similarityHalf: number;
  /** For the similarity of the nearest clause of the query, in addition to that of the whole. */
  readonly clauseSimilarity: number;
  /** For the mean similarity of the provider's endpoints, in addition. */
  readonly providerSimilarity: number;
  /** Against endpoints that do not cover the place or the time of the query, for each of both. */
  readonly uncovered: number;
  /** For endpoints that take what the query brings. */
  readonly takesBrought: number;
  /** Against endpoints that answer only for an identifier or a title that the query does not have. */
  readonly lacksId: number;
  /** Against endpoints that answer only for what the query asks for. */
  readonly takesWanted: number;
  /** Against endpoints that change what the query wants to see, or the other way round. */
  readonly otherEffect: number;
  /** Against results whose words are already covered by better ones. */
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
  uncovered: 0.6,
  takesBrought: 0.7,
  lacksId: 0.4,
  takesWanted: 0.4,
  otherEffect: 0.2,
  variety: 0.6,
};
