import {
  NUMBER,
  requestTokens,
  type RequestWords,
} from "../../../daemon/discovery/ranking/confidence/request-likeness.ts";
import type { ExampleGroup } from "./request-examples.ts";

/** So many tokens have a weight: those of most groups' texts. */
const TOKENS = 2_600;
const STEPS = 300;
const RATE = 0.1;
/** Of the square of each weight. */
const DECAY = 3e-5;

interface Example {
  readonly tokens: readonly number[];
  /** Of each token's weight. */
  readonly scale: number;
  /** Of the bias: the share of the words that are known. */
  readonly known: number;
  readonly isRequest: boolean;
  readonly weight: number;
}

/** Logistic regression, requests and sayings weighing the same, by Adam over all examples at once. */
export function trainRequestLikeness(groups: readonly ExampleGroup[]): RequestWords {
  const tokens = chooseTokens(groups);
  const places = new Map(tokens.map((token, place) => [token, place]));
  const examples = toExamples(groups, places);
  const weights = new Float64Array(tokens.length + 1);
  const [first, second] = [new Float64Array(weights.length), new Float64Array(weights.length)];
  for (let step = 1; step <= STEPS; step += 1) {
    const gradient = gradientOf(examples, weights);
    for (let at = 0; at < weights.length; at += 1) {
      const slope = (gradient[at] ?? 0) + (at === tokens.length ? 0 : DECAY * (weights[at] ?? 0));
      first[at] = 0.9 * (first[at] ?? 0) + 0.1 * slope;
      second[at] = 0.99 * (second[at] ?? 0) + 0.01 * slope ** 2;
      const mean = (first[at] ?? 0) / (1 - 0.9 ** step);
      const spread = Math.sqrt((second[at] ?? 0) / (1 - 0.99 ** step));
      weights[at] = (weights[at] ?? 0) - (RATE * mean) / (spread + 1e-6);
    }
  }
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    bias: round(weights[tokens.length] ?? 0),
    weights: Object.fromEntries(tokens.map((token, place) => [token, round(weights[place] ?? 0)])),
  };
}

function chooseTokens(groups: readonly ExampleGroup[]): string[] {
  const mass = new Map<string, number>();
  for (const { texts, weight } of groups) {
    for (const text of texts) {
      for (const token of new Set(requestTokens(text, () => true).tokens)) {
        mass.set(token, (mass.get(token) ?? 0) + weight / Math.sqrt(texts.length));
      }
    }
  }
  const best = [...mass].filter(([token]) => !/[^\p{Script=Latin} ^]/u.test(token)).sort(([, a], [, b]) => b - a);
  return [...best.slice(0, TOKENS).map(([token]) => token), NUMBER];
}

function toExamples(groups: readonly ExampleGroup[], places: ReadonlyMap<string, number>): Example[] {
  const massOf = (isRequest: boolean) =>
    groups.filter((group) => group.isRequest === isRequest).reduce((sum, { weight }) => sum + weight, 0);
  const masses = { requests: massOf(true), sayings: massOf(false) };
  return groups.flatMap(({ texts, isRequest, weight }) =>
    texts.map((text) => {
      const { tokens: known, ...found } = requestTokens(text, (token) => places.has(token));
      const tokens = known.map((token) => places.get(token) ?? 0);
      const share = weight / (isRequest ? masses.requests : masses.sayings);
      return {
        tokens,
        known: found.known,
        scale: found.known / Math.sqrt(tokens.length || 1),
        isRequest,
        weight: share / (2 * texts.length),
      };
    }),
  );
}

function gradientOf(examples: readonly Example[], weights: Float64Array): Float64Array {
  const gradient = new Float64Array(weights.length);
  const bias = weights.length - 1;
  for (const { tokens, scale, known, isRequest, weight } of examples) {
    let sum = 0;
    for (const token of tokens) sum += weights[token] ?? 0;
    const error = weight * (1 / (1 + Math.exp(-(weights[bias] ?? 0) * known - sum * scale)) - Number(isRequest));
    for (const token of tokens) gradient[token] = (gradient[token] ?? 0) + error * scale;
    gradient[bias] = (gradient[bias] ?? 0) + error * known;
  }
  return gradient;
}
