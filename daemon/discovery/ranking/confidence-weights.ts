/** A sign that a candidate is what a query asks for. Ranking orders candidates; signs say whether the best is any good. */
export type Sign =
  | "matched"
  | "share"
  | "aboveChance"
  | "named"
  | "phrases"
  | "known"
  | "meaning"
  | "worded"
  | "request";

/**
 * How much each sign counts, in log-odds: a logistic regression over the development collections and the starter catalog,
 * judged queries and names of endpoints against sayings that nothing answers. No sign may count against a candidate.
 */
export const CONFIDENCE_WEIGHTS: Readonly<Record<Sign, number>> = {
  matched: 1.9,
  share: 0.77,
  aboveChance: 0.81,
  named: 3.77,
  phrases: 2.74,
  known: 1.11,
  meaning: 1,
  worded: 1,
  request: 1.63,
};

/** Log-odds of a candidate without any sign. */
export const BIAS = -0.34;

/** Log-odds where the default floor stands: few judged queries lose their first right answer above it. */
export const FLOOR_LOG_ODDS = -0.66;
/** The score there: the default of `minScore`. */
export const FLOOR_SCORE = 0.2;
