import type { Candidate } from "../scoring/fuse.ts";
import { OFF_TOPIC_PROBES } from "./off-topic-probes.ts";
import type { Ranker } from "../scoring/rank.ts";

/** What queries find in a catalog by chance; in a large catalog chance matches are closer. */
export interface Calibration {
  /** The highest cosine that an off-topic query nearly always stays below. */
  readonly chanceCosine: number;
}

/** Assumed for a catalog that was not probed yet. */
export const USUAL_CALIBRATION: Calibration = { chanceCosine: 0.5 };

/** The quantile of the probes that defines chance. */
const CHANCE_QUANTILE = 0.9;
/** The number of candidates that are read for each probe. */
const PROBE_DEPTH = 10;
/**
 * With this many documents, a catalog's own probes weigh as much as the usual values; a smaller one has too little to
 * match.
 */
const TRUST_HALF = 20;

/**
 * Queries an index of this many documents with off-topic probes: what they find is due to chance. One step for each
 * probe. They are read as they are written: a greeting in another language is mostly stop words in English, and finds
 * nothing at all.
 */
export function* calibrateInSteps(ranker: Pick<Ranker, "rank">, size: number): Generator<void, Calibration> {
  const best: number[] = [];
  for (const probe of OFF_TOPIC_PROBES) {
    best.push(bestCosine(ranker.rank(probe, { limit: PROBE_DEPTH, asWritten: true }).candidates));
    yield;
  }
  const cosine = best.sort((a, b) => a - b)[Math.floor(best.length * CHANCE_QUANTILE)] ?? 0;
  const trust = size / (size + TRUST_HALF);
  return { chanceCosine: trust * cosine + (1 - trust) * USUAL_CALIBRATION.chanceCosine };
}

function bestCosine(candidates: readonly Candidate[]): number {
  return Math.max(0, ...candidates.map(({ cosine }) => cosine));
}
