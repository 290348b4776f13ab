import type { ConfidenceWord } from "../../../../shared/contract/discovery.ts";
import { CHANCE_THRESHOLDS, CONFIDENCE_THRESHOLDS, LEAST_SCORES } from "../weights/confidence-thresholds.ts";

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
  /** How likely it is right, from 0 to 1, where that is known. */
  readonly chance?: number;
  /** Whether none of the same answer that can be run, or none that cannot, fits better. */
  readonly isBest?: boolean;
}

/** The word for a match if it is the best: by its chance where that is known, else by its score before health lowered it. */
export function wordOf({ score, scoreBefore = score, chance }: Omit<WordedMatch, "isBest">): ConfidenceWord {
  if (chance === undefined) return confidenceOf(scoreBefore);
  const has = (word: "strong" | "possible") => chance >= CHANCE_THRESHOLDS[word] && scoreBefore >= LEAST_SCORES[word];
  if (has("strong")) return "strong";
  return has("possible") ? "possible" : "weak";
}

/**
 * The word for a match of an answer. Only the best is strong: a later one has nearly the score of the best where both have
 * the words of the query, but of those with the score of strong ones fewer than half are right.
 */
export function confidenceOfMatch({ isBest = false, ...match }: WordedMatch): ConfidenceWord {
  const word = wordOf(match);
  return word === "strong" && !isBest ? "possible" : word;
}
