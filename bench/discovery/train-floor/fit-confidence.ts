import {
  CONFIDENCE_FIT,
  type ConfidenceFit,
  type Sign,
} from "../../../daemon/discovery/ranking/weights/confidence-weights.ts";
import type { Signs } from "../../../daemon/discovery/ranking/confidence/confidence.ts";
import { mean } from "../metrics.ts";
import { everySo, type Shown, type SignMaterial } from "./sign-material.ts";

/*
 * Fits how much each sign of a match counts, by logistic regression: first right answers of judged queries and names of
 * endpoints against sayings that nothing answers, and requests of one collection put to another.
 */

const SIGNS = Object.keys(CONFIDENCE_FIT.weights) as Sign[];
const STEPS = 400;
const RATE = 0.05;
const BIAS_RATE = 0.3;
/** Of the square of each weight. */
const DECAY = 3e-4;
/** What part of the right answers the floor may cost. */
const LOST = 0.028;
/** So many right answers of each collection say where the floor stands. */
const FLOOR_QUERIES = 70;

/** No sign counts against a candidate. */
export function fitConfidence(materials: readonly SignMaterial[]): ConfidenceFit {
  let fit: ConfidenceFit = { weights: evenWeights(0.5), bias: 0, floor: 0 };
  const means = SIGNS.map(() => 0);
  const squares = SIGNS.map(() => 0);
  for (let step = 1; step <= STEPS; step += 1) {
    const slopes = slopesOf(materials, fit);
    const weights = SIGNS.map((sign, at) => {
      const slope = slopes.weights[sign] / materials.length + DECAY * fit.weights[sign];
      means[at] = 0.9 * (means[at] ?? 0) + 0.1 * slope;
      squares[at] = 0.99 * (squares[at] ?? 0) + 0.01 * slope ** 2;
      const change = (means[at] ?? 0) / (1 - 0.9 ** step) / (Math.sqrt((squares[at] ?? 0) / (1 - 0.99 ** step)) + 1e-8);
      return [sign, Math.max(0, fit.weights[sign] - RATE * change)];
    });
    fit = {
      ...fit,
      weights: Object.fromEntries(weights),
      bias: fit.bias - (BIAS_RATE * slopes.bias) / materials.length,
    };
  }
  return { ...fit, floor: floorOf(materials, fit) };
}

interface Slopes {
  readonly weights: Record<Sign, number>;
  readonly bias: number;
}

function slopesOf(materials: readonly SignMaterial[], fit: ConfidenceFit): Slopes {
  const weights = evenWeights(0);
  let bias = 0;
  const learn = (group: readonly Shown[], isRight: boolean, share: number) => {
    for (const shown of group) {
      const { odds, signs } = best(shown, fit);
      if (signs === undefined) continue;
      const error = ((1 / (1 + Math.exp(-odds)) - Number(isRight)) * share) / group.length;
      for (const sign of SIGNS) weights[sign] += error * signs[sign];
      bias += error;
    }
  };
  for (const { right, names, wrong, sayings, foreign } of materials) {
    learn(right, true, 1);
    learn(names, true, 0.3);
    learn(sayings, false, 1);
    learn(foreign, false, 0.3);
    learn(wrong, false, 0.4);
  }
  return { weights, bias };
}

function evenWeights(value: number): Record<Sign, number> {
  return Object.fromEntries(SIGNS.map((sign) => [sign, value])) as Record<Sign, number>;
}

function best(shown: Shown, { weights, bias }: ConfidenceFit): { readonly odds: number; readonly signs?: Signs } {
  let odds = Number.NEGATIVE_INFINITY;
  let signs: Signs | undefined;
  for (const each of shown) {
    const z = SIGNS.reduce((sum, sign) => sum + weights[sign] * each[sign], bias);
    if (z > odds) [odds, signs] = [z, each];
  }
  return signs === undefined ? { odds } : { odds, signs };
}

function floorOf(materials: readonly SignMaterial[], fit: ConfidenceFit): number {
  const odds = materials.flatMap(({ right }) => everySo(right, FLOOR_QUERIES).map((shown) => best(shown, fit).odds));
  return odds.sort((a, b) => a - b)[Math.floor(odds.length * LOST)] ?? 0;
}

/** What part of each kind of material stays above the floor, or below it where it has no right answer. */
export interface FitShares {
  readonly name: string;
  readonly kept: number;
  readonly names: number;
  readonly offTopic: number;
  readonly wrong: number;
  readonly foreign: number;
}

export function sharesOf(
  { name, right, names, offTopic, wrong, foreign }: SignMaterial,
  fit: ConfidenceFit,
): FitShares {
  const above = (group: readonly Shown[]) => mean(group.map((shown) => Number(best(shown, fit).odds >= fit.floor)));
  return {
    name,
    kept: above(right),
    names: above(names),
    offTopic: 1 - above(offTopic),
    wrong: 1 - above(wrong),
    foreign: 1 - above(foreign),
  };
}
