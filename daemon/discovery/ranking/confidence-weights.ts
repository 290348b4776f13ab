/** A sign that a candidate is what a query asks for. Ranking orders candidates; signs say whether the best is any good. */
export type Sign = "matched" | "share" | "named" | "phrases" | "known" | "meaning" | "worded" | "request";

/**
 * How much each sign counts, in log-odds: fitted by `npm run train:floor -- --fit`, first right answers and names of endpoints against
 * sayings that nothing answers and what ranks far below the right ones. No weight is negative.
 */
export const CONFIDENCE_WEIGHTS: Readonly<Record<Sign, number>> = {
  matched: 1.07,
  share: 1.33,
  named: 2.53,
  phrases: 5.22,
  known: 1.27,
  meaning: 4.62,
  worded: 1.5,
  request: 0.55,
};

/** Log-odds of a candidate without any sign. */
export const BIAS = -1.1;

/** Log-odds where the default floor stands: few judged queries lose their first right answer above it. */
export const FLOOR_LOG_ODDS = -1.15;
/** The score there: the default of `minScore`. */
export const FLOOR_SCORE = 0.2;
