import type { Ranking } from "./rank.ts";

/** A score for each candidate of a ranking, above 0 and below 2, falling with rank. */
export type Confidence = (ranking: Ranking) => number[];

export function createConfidence(_calibration: Readonly<Record<string, number>>): Confidence {
  return ({ candidates }) => candidates.map(({ relevance }) => (2 * relevance) / (1 + relevance));
}

export function calibrateConfidence(_view: unknown, _knowledge: unknown): Readonly<Record<string, number>> {
  return {};
}
