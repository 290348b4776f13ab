import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConfidenceFit } from "../../../daemon/discovery/ranking/weights/confidence-weights.ts";
import type { RequestWords } from "../../../daemon/discovery/ranking/confidence/request-likeness.ts";
import { mean } from "../metrics.ts";
import { fitConfidence, sharesOf } from "./fit-confidence.ts";
import { readSignMaterial } from "./sign-material.ts";

const FILE = "bench/discovery/train-floor/fitted-confidence.json";

/** By collection what was fitted without it; `all` without none: what `confidence-weights.ts` should have. */
type FittedFloors = Readonly<Record<string, ConfidenceFit>>;

/** Fits the signs on all collections and without each, writes both, and tells what each collection shows with the fit without it. */
export async function fitFloors(projectDir: string, evalDir: string, words: RequestWords): Promise<void> {
  const materials = await readSignMaterial(projectDir, evalDir, words);
  const without = materials.map((own) => fitConfidence(materials.filter((other) => other !== own)));
  const shares = materials.flatMap((own, at) => {
    const fit = without[at];
    return fit === undefined ? [] : sharesOf(own, fit);
  });
  const all = rounded(fitConfidence(materials));
  const fitted: FittedFloors = {
    all,
    ...Object.fromEntries(materials.map(({ name }, at) => [name, rounded(without[at] ?? all)])),
  };
  await writeFile(join(projectDir, FILE), `${JSON.stringify(fitted, undefined, 2)}\n`);
  console.log(`${FILE}: all`, JSON.stringify(all));
  console.table(shares);
  console.log("mean off-topic left unanswered", mean(shares.map(({ offTopic }) => offTopic)).toFixed(3));
  console.log("mean right answers kept", mean(shares.map(({ kept }) => kept)).toFixed(3));
}

/** What was fitted without the collection; undefined where there is none of that name. */
export async function loadFittedWithout(projectDir: string, collection: string): Promise<ConfidenceFit | undefined> {
  return (JSON.parse(await readFile(join(projectDir, FILE), "utf8")) as FittedFloors)[collection];
}

function rounded({ weights, bias, floor }: ConfidenceFit): ConfidenceFit {
  const round = (value: number) => Math.round(value * 100) / 100;
  const entries = Object.entries(weights).map(([sign, weight]) => [sign, round(weight)]);
  return { weights: Object.fromEntries(entries), bias: round(bias), floor: round(floor) };
}
