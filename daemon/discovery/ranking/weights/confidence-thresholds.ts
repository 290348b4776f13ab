import type { ConfidenceWord } from "../../../../shared/contract/discovery.ts";

/** The lowest chance, from 0 to 1, of each word but `weak`, for a query in one wording. */
export const CHANCE_THRESHOLDS: Readonly<Record<Exclude<ConfidenceWord, "weak">, number>> = {
  strong: 0.9,
  possible: 0.6,
};

/** Nothing strong has a lower score, from 0 to 2, and nothing possible is below the default floor. */
export const LEAST_SCORES: Readonly<Record<Exclude<ConfidenceWord, "weak">, number>> = { strong: 1.2, possible: 0.2 };

/**
 * The lowest score of each word where no chance is known: for several wordings, and where a service was asked. Measured with
 * the asks of `test/discovery/asks`: docs/discovery-figures.md, "How sure the words are".
 */
export const CONFIDENCE_THRESHOLDS: Readonly<Record<Exclude<ConfidenceWord, "weak">, number>> = {
  strong: 1.93,
  possible: 1,
};
