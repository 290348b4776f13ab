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
    share: 2.04,
    named: 2.17,
    phrases: 5.5,
    known: 0.97,
    meaning: 7.27,
    worded: 1.35,
    request: 0.83,
  },
  bias: -1.95,
  floor: -1.83,
};

/** The score at the floor: the default of `minScore`. */
export const FLOOR_SCORE = 0.2;
