import type { IndexView } from "../index/index-view.ts";
import { BIAS, CONFIDENCE_WEIGHTS, FLOOR_LOG_ODDS, FLOOR_SCORE, type Sign } from "./confidence-weights.ts";
import type { Candidate } from "./fuse.ts";
import { OFF_TOPIC_PROBES } from "./off-topic-probes.ts";
import { createRanker, type Ranking, type RankingKnowledge } from "./rank.ts";
import { createRequestLikeness } from "./request-likeness.ts";
import requestWords from "./request-words.json" with { type: "json" };

/*
 * What a score means, the same in a catalog of ten endpoints and in one of a hundred thousand.
 *
 *   signs(candidate)  shares of what the query asks for, nearness in meaning beyond chance in this catalog, whether it reads as a request
 *   z(candidate)      Σ weight · sign, log-odds that the candidate is what the query asks for
 *   score(place)      2 · σ(max of z from this place on − shift): above 0 and below 2, falling with rank
 *
 * The shift puts the default floor, 0.2, where the weights were fitted to have it.
 */

const MAX_SCORE = 2;
const SHIFT = FLOOR_LOG_ODDS - Math.log(FLOOR_SCORE / (MAX_SCORE - FLOOR_SCORE));

/** Of the probes, this share finds less by chance than what is called chance. */
const CHANCE_QUANTILE = 0.9;
/** So many candidates of a probe are looked at. */
const PROBE_DEPTH = 10;
/** A catalog of this size trusts its own probes as much as what is usual: a smaller one has too little to be near to. */
const TRUST_HALF = 20;
/** Supposed of an index that was not calibrated. */
const USUAL_SIZE = 300;
const USUAL_COSINE = 0.5;

const MOST_REQUEST_ODDS = 3;

/** From one place to the next, in log-odds. */
const STEP = 1e-6;

/** A score for each candidate of a query's ranking, above 0 and below 2, falling with rank. */
export type Confidence = (q: string, ranking: Ranking) => number[];

/** With what `calibrateConfidence` found out about the index; with `{}` a catalog of ordinary size is supposed. */
export function createConfidence(calibration: Readonly<Record<string, number>>): Confidence {
  const signsOf = createSignReading(calibration);
  return (q, ranking) => {
    const { candidates } = ranking;
    const readSigns = signsOf(q, ranking);
    const values = candidates.map((candidate) => logOdds(readSigns(candidate)));
    return fallingMaxima(values, candidates).map((z) => MAX_SCORE / (1 + Math.exp(SHIFT - z)));
  };
}

export type Signs = Readonly<Record<Sign, number>>;

/** Of a query's ranking, what each candidate shows; with `{}` a catalog of ordinary size is supposed. */
export function createSignReading(
  calibration: Readonly<Record<string, number>>,
): (q: string, ranking: Ranking) => (candidate: Candidate) => Signs {
  const size = calibration["size"] ?? USUAL_SIZE;
  const chanceCosine = calibration["chanceCosine"] ?? USUAL_COSINE;
  const likeness = createRequestLikeness(requestWords);
  return (q, ranking) => {
    const request = Math.max(-MOST_REQUEST_ODDS, Math.min(MOST_REQUEST_ODDS, likeness(q)));
    return createSignReader(ranking, { size, chanceCosine, request });
  };
}

/** Asks an index what nothing answers: what is found is what chance finds there. Takes about a hundred queries' time. */
export function calibrateConfidence(view: IndexView, knowledge: RankingKnowledge): Readonly<Record<string, number>> {
  const ranker = createRanker(view, knowledge);
  const found = OFF_TOPIC_PROBES.map((probe) => ranker.rank(probe, { limit: PROBE_DEPTH }).candidates);
  const cosine = chanceOf(found);
  const trust = view.size / (view.size + TRUST_HALF);
  return {
    size: view.size,
    chanceCosine: trust * cosine + (1 - trust) * USUAL_COSINE,
  };
}

/** The cosine that the best of nearly every probe does not reach. */
function chanceOf(found: readonly (readonly Candidate[])[]): number {
  const best = found.map((candidates) => Math.max(0, ...candidates.map(({ cosine }) => cosine))).sort((a, b) => a - b);
  return best[Math.floor(best.length * CHANCE_QUANTILE)] ?? 0;
}

interface SignContext {
  /** How many documents the index has. */
  readonly size: number;
  /** The cosine that a saying that nothing answers has at most, nearly always. */
  readonly chanceCosine: number;
  /** Log-odds that the query is a request at all. */
  readonly request: number;
}

function createSignReader(
  { ask, asked, candidates }: Ranking,
  { size, chanceCosine, request }: SignContext,
): (candidate: Candidate) => Signs {
  // A word that no endpoint has says as much as one that a single endpoint has; numbers are arguments, not wishes.
  const rarest = Math.log(1 + Math.max(size, candidates.length));
  const unknown = ask.unknown.filter((stem) => !/^\p{N}/u.test(stem)).length * rarest;
  const all = asked + unknown || 1;
  // Without vectors meaning says nothing, neither for nor against.
  const hasVectors = candidates.some(({ cosine }) => cosine !== 0);
  return ({ matched, text, cosine }) => ({
    matched: matched / all,
    share: text.covered / all,
    named: text.nameShare * Math.min(1, text.covered / (rarest || 1)),
    phrases: text.phrases / all,
    known: -unknown / all,
    meaning: hasVectors ? cosine - chanceCosine : 0,
    worded: matched > 0 ? 0 : -1,
    request,
  });
}

function logOdds(signs: Signs): number {
  const names = Object.keys(CONFIDENCE_WEIGHTS) as Sign[];
  return names.reduce((sum, name) => sum + CONFIDENCE_WEIGHTS[name] * signs[name], BIAS);
}

/**
 * Each becomes the greatest of itself and those after it, and a little less than the one before, so that scores keep the order
 * of the ranking; candidates of the same relevance keep the same score.
 */
function fallingMaxima(values: readonly number[], candidates: readonly Candidate[]): number[] {
  const maxima = [...values];
  for (let place = maxima.length - 2; place >= 0; place -= 1) {
    maxima[place] = Math.max(maxima[place] ?? 0, maxima[place + 1] ?? 0);
  }
  let steps = 0;
  return maxima.map((maximum, place) => {
    if (place > 0 && candidates[place]?.relevance !== candidates[place - 1]?.relevance) steps += 1;
    return maximum - steps * STEP;
  });
}
