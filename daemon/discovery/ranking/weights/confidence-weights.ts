/** A sign that a candidate is what a query asks for. Ranking orders candidates; signs say whether the best is any good. */
export type Sign = "share" | "named" | "phrases" | "known" | "meaning" | "worded" | "request";

/** How signs make log-odds: found by `npm run train:floor -- --fit`. */
export interface ConfidenceFit {
  /** How much each sign counts; none below 0. */
  readonly weights: Readonly<Record<Sign, number>>;
  /** Log-odds of a candidate without any sign. */
  readonly bias: number;
  /** Log-odds where the default floor stands: few judged queries lose their first right answer above it. */
  readonly floor: number;
}

/**
 * First right answers and names of endpoints against sayings that nothing answers and what ranks far below the right ones.
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
  },
  bias: -2.06,
  floor: -1.87,
};

/** The score at the floor: the default of `minScore`. */
export const FLOOR_SCORE = 0.2;
