import type { Candidate } from "../scoring/fuse.ts";
import { OFF_TOPIC_PROBES } from "./off-topic-probes.ts";
import type { Ranker } from "../scoring/rank.ts";

/** What chance finds in a catalog: in a large one it comes nearer. */
export interface Calibration {
  /** The cosine that a saying that nothing answers has at most, nearly always. */
  readonly chanceCosine: number;
}

/** Supposed of a catalog that nothing was asked of. */
export const USUAL_CALIBRATION: Calibration = { chanceCosine: 0.5 };

/** Of the probes, this share finds less by chance than what is called chance. */
const CHANCE_QUANTILE = 0.9;
/** So many candidates of a probe are looked at. */
const PROBE_DEPTH = 10;
/** A catalog of this size trusts its own probes as much as what is usual: a smaller one has too little to be near to. */
const TRUST_HALF = 20;

/** Asks an index of so many documents what nothing answers: what is found is what chance finds there. A step a probe. */
export function* calibrateInSteps(ranker: Pick<Ranker, "rank">, size: number): Generator<void, Calibration> {
  const best: number[] = [];
  for (const probe of OFF_TOPIC_PROBES) {
    best.push(bestCosine(ranker.rank(probe, { limit: PROBE_DEPTH }).candidates));
    yield;
  }
  const cosine = best.sort((a, b) => a - b)[Math.floor(best.length * CHANCE_QUANTILE)] ?? 0;
  const trust = size / (size + TRUST_HALF);
  return { chanceCosine: trust * cosine + (1 - trust) * USUAL_CALIBRATION.chanceCosine };
}

function bestCosine(candidates: readonly Candidate[]): number {
  return Math.max(0, ...candidates.map(({ cosine }) => cosine));
}
