/**
 * A sign that a candidate is what a query asks for. Ranking orders candidates; signs say whether the best one is good
 * enough.
 */
export type Sign = "share" | "named" | "phrases" | "known" | "meaning" | "worded" | "request" | "covered";

/** The coefficients that turn signs into log-odds, fitted by `npm run train:floor -- --fit`. */
export interface ConfidenceFit {
  /** The weight of each sign; never negative. */
  readonly weights: Readonly<Record<Sign, number>>;
  /** Log-odds of a candidate without any sign. */
  readonly bias: number;
  /** Log-odds at the default floor: few judged queries have their first correct answer below it. */
  readonly floor: number;
}

/**
 * Fitted on first correct answers and names of endpoints against off-topic sentences and results far below the correct
 * ones, with the word vectors before those of 28 November 2026. Fitted anew, as many right answers are kept (97.1 %) and
 * fewer off-topic queries are told (93.5 % for 94.5 %, mean of the seven collections).
 */
export const CONFIDENCE_FIT: ConfidenceFit = {
  weights: {
    share: 2.35,
    named: 2.08,
    phrases: 5.32,
    known: 1,
    meaning: 7.23,
    worded: 1.3,
    request: 0.87,
    covered: 4,
  },
  bias: -2.06,
  floor: -1.87,
};

/** The score at the floor: the default of `minScore`. */
export const FLOOR_SCORE = 0.2;
