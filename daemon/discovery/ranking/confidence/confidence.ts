import { chancesOf } from "./chance.ts";
import type { Calibration } from "./calibration.ts";
import { CONFIDENCE_FIT, type ConfidenceFit, FLOOR_SCORE, type Sign } from "../weights/confidence-weights.ts";
import type { Candidate } from "../scoring/fuse.ts";
import { topicStems } from "../query/topic.ts";
import type { Ranking } from "../scoring/rank.ts";
import { createRequestLikeness, type RequestWords } from "./request-likeness.ts";
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

const MOST_REQUEST_ODDS = 3;

/** How much an unknown word counts against a search by words, if the query is about it: it is what to search for. */
const SEARCHED_FOR = 0.15;

/** What reads instead of deleting, or deletes instead of reading, is further off than what covers neither the place nor the time. */
const OTHER_EFFECT = 3;

/** Between adjacent positions, in log-odds. */
const STEP = 1e-6;

/** What must be known of a catalog to judge how certain a match in it is. */
export interface CatalogSigns extends Calibration {
  /** The number of documents in its index. */
  readonly size: number;
}

/** How good a candidate is. */
export interface Judged {
  /** Above 0 and below 2, falling with rank: whether it is any good. */
  readonly score: number;
  /** 0 to 1: how likely it is right. Falls with rank, but for what does the opposite of what is wanted: that has less. */
  readonly chance: number;
}

/** For each candidate of a query's ranking, in order. */
export type Confidence = (q: string, ranking: Ranking, catalog: CatalogSigns) => Judged[];

export function createConfidence(fit: ConfidenceFit = CONFIDENCE_FIT): Confidence {
  const signsOf = createSignReading();
  const oddsOf = createLogOdds(fit);
  const shift = fit.floor - Math.log(FLOOR_SCORE / (MAX_SCORE - FLOOR_SCORE));
  return (q, ranking, catalog) => {
    const { candidates } = ranking;
    const readSigns = signsOf(q, ranking, catalog);
    const signs = new Map(candidates.map((candidate) => [candidate, readSigns(candidate)]));
    const read = (candidate: Candidate) => signs.get(candidate) ?? readSigns(candidate);
    const values = candidates.map((candidate) => oddsOf(read(candidate)));
    const chances = chancesOf(candidates, read);
    return fallingMaxima(values, candidates).map((z, place) => ({
      score: MAX_SCORE / (1 + Math.exp(shift - z)),
      chance: chances[place] ?? 0,
    }));
  };
}

export type Signs = Readonly<Record<Sign, number>>;

/** Reads the signs of each candidate of a ranking. */
export type SignReading = (q: string, ranking: Ranking, catalog: CatalogSigns) => (candidate: Candidate) => Signs;

export function createSignReading(words: RequestWords = requestWords): SignReading {
  const likeness = createRequestLikeness(words);
  return (q, ranking, catalog) => {
    const english = ranking.ask.english ?? q;
    const request = Math.max(-MOST_REQUEST_ODDS, Math.min(MOST_REQUEST_ODDS, likeness(english)));
    return createSignReader(ranking, { ...catalog, request, topic: topicStems(english) });
  };
}

interface SignContext extends CatalogSigns {
  /** Log-odds that the query is a request at all. */
  readonly request: number;
  /** Stems of what the query says that it is about. */
  readonly topic: ReadonlySet<string>;
}

function createSignReader(
  { ask, asked, candidates }: Ranking,
  { size, chanceCosine, request, topic }: SignContext,
): (candidate: Candidate) => Signs {
  // A word that no endpoint has counts as much as one that a single endpoint has; numbers are arguments and not
  // subjects.
  const rarest = Math.log(1 + Math.max(size, candidates.length));
  const unknown = ask.unknown.filter((stem) => !/^\p{N}/u.test(stem));
  const inTopic = unknown.filter((stem) => topic.has(stem)).length * rarest;
  const elsewhere = unknown.length * rarest - inTopic;
  return ({ matched, text, cosine, fit }) => {
    const strange = elsewhere + inTopic * (fit.searches ? SEARCHED_FOR : 1);
    const all = asked + strange || 1;
    return {
      share: text.covered / all,
      named: text.nameShare * Math.min(1, text.covered / (rarest || 1)),
      phrases: text.phrases / all,
      known: -strange / all,
      // 0 when the query or the document has no word with a vector: neutral.
      meaning: cosine === 0 ? 0 : cosine - chanceCosine,
      worded: matched > 0 ? 0 : -1,
      request,
      covered: -fit.uncovered - OTHER_EFFECT * fit.otherEffect,
    };
  };
}

function createLogOdds({ weights, bias }: ConfidenceFit): (signs: Signs) => number {
  const terms = Object.entries(weights) as [Sign, number][];
  return (signs) => {
    let sum = bias;
    for (const [name, weight] of terms) sum += weight * signs[name];
    return sum;
  };
}

/**
 * Each value becomes the maximum of itself and those after it, and slightly less than the one before, so that scores
 * keep the order of the ranking; candidates of the same relevance keep the same score.
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
