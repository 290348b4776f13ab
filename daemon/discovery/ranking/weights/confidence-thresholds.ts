import type { ConfidenceWord } from "../../../../shared/contract/discovery.ts";

/**
 * The lowest score, from 0 to 2, of each word but `weak`, which has none. Measured with the asks of `test/discovery/asks`:
 * docs/discovery-figures.md, "How sure the words are".
 */
export const CONFIDENCE_THRESHOLDS: Readonly<Record<Exclude<ConfidenceWord, "weak">, number>> = {
  strong: 1.88,
  possible: 0.7,
};
