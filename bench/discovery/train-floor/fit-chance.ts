import { CHANCE_FIT, type ChanceFit } from "../../../daemon/discovery/ranking/weights/chance-weights.ts";
import { askStarterCatalog, asksTable, isHeldBack } from "../starter-asks.ts";

/*
 * Fits how likely the first answer is right, by logistic regression over the asks of `test/discovery/asks`; an ask that
 * nothing serves has none. No sign counts against a match. What is held back is only measured.
 */

type Weighed = keyof ChanceFit["weights"];

const WEIGHED = Object.keys(CHANCE_FIT.weights) as Weighed[];
const STEPS = 6_000;
const RATE = 0.3;
/** Of each weight, with signs that are scaled to the same spread. */
const DECAY = 0.01;

/** Prints what `chance-weights.ts` should have, and how the asks come out with what it has. */
export async function fitChance(projectDir: string): Promise<void> {
  const outcomes = await askStarterCatalog(projectDir);
  const examples = outcomes.flatMap((outcome) =>
    outcome.signs === undefined || isHeldBack(outcome)
      ? []
      : { signs: WEIGHED.map((name) => outcome.signs?.[name] ?? 0), isRight: outcome.place === 1 ? 1 : 0 },
  );
  console.log(JSON.stringify(fit(examples)));
  console.log(asksTable(outcomes));
}

interface Example {
  readonly signs: readonly number[];
  readonly isRight: number;
}

function fit(examples: readonly Example[]): ChanceFit {
  const spreads = WEIGHED.map((_, at) => spreadOf(examples.map(({ signs }) => signs[at] ?? 0)));
  const scaled = examples.map(({ signs, isRight }) => ({
    signs: signs.map((sign, at) => sign / (spreads[at] ?? 1)),
    isRight,
  }));
  const weights = WEIGHED.map(() => 0);
  let bias = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const slopes = weights.map((weight) => DECAY * weight);
    let slope = 0;
    for (const { signs, isRight } of scaled) {
      const odds = signs.reduce((sum, sign, at) => sum + sign * (weights[at] ?? 0), bias);
      const error = (1 / (1 + Math.exp(-odds)) - isRight) / scaled.length;
      for (const [at, sign] of signs.entries()) slopes[at] = (slopes[at] ?? 0) + error * sign;
      slope += error;
    }
    for (const [at, own] of slopes.entries()) weights[at] = Math.max(0, (weights[at] ?? 0) - RATE * own);
    bias -= RATE * slope;
  }
  const rounded = (value: number) => Math.round(value * 100) / 100;
  return {
    weights: Object.fromEntries(
      WEIGHED.map((name, at) => [name, rounded((weights[at] ?? 0) / (spreads[at] ?? 1))]),
    ) as ChanceFit["weights"],
    bias: rounded(bias),
  };
}

function spreadOf(values: readonly number[]): number {
  const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / values.length) + 1e-9;
}
