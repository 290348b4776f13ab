import type { ConfidenceWord } from "../../../../shared/contract/discovery.ts";
import { CONFIDENCE_THRESHOLDS } from "../weights/confidence-thresholds.ts";

/**
 * The word for a score from 0 to 2: `strong` is nearly always what the query asks for, `possible` often is, and of what
 * is `weak` most is not. Of a match that health lowered, its score before.
 */
export function confidenceOf(score: number, thresholds = CONFIDENCE_THRESHOLDS): ConfidenceWord {
  if (score >= thresholds.strong) return "strong";
  return score >= thresholds.possible ? "possible" : "weak";
}

/** A match, as far as its word depends on it. */
export interface WordedMatch {
  readonly score: number;
  readonly scoreBefore?: number;
  /** Whether none of the same answer that can be run, or none that cannot, fits better. */
  readonly isBest?: boolean;
}

/**
 * The word for a match of an answer. Only the best is strong: a later one has nearly the score of the best where both have
 * the words of the query, but of those with the score of strong ones fewer than half are right.
 */
export function confidenceOfMatch({ score, scoreBefore, isBest = false }: WordedMatch): ConfidenceWord {
  const word = confidenceOf(scoreBefore ?? score);
  return word === "strong" && !isBest ? "possible" : word;
}
