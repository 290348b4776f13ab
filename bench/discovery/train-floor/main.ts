import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findEvalDir } from "../collections.ts";
import { seededRandom } from "../train/random.ts";
import { readSources } from "../train/read-sources.ts";
import { fitChance } from "./fit-chance.ts";
import { fitFloors } from "./fitted-floors.ts";
import { requestExamples } from "./request-examples.ts";
import { trainRequestLikeness } from "./train-request-likeness.ts";

const MODEL_FILE = "daemon/discovery/ranking/confidence/request-words.json";
const SEED = 7;

/**
 * Trains the words of `daemon/discovery/ranking/confidence/request-likeness.ts` on the collections; with `--fit` it then fits the
 * signs of `confidence-weights.ts`, on all collections and without each, for the bench. `--chance` only fits
 * `chance-weights.ts`, which needs no collections. Resolves to the exit code.
 */
export async function main(args: readonly string[], projectDir: string): Promise<number> {
  if (args.includes("--chance")) {
    await fitChance(projectDir);
    return 0;
  }
  const evalDir = findEvalDir(projectDir);
  if (evalDir === undefined) {
    process.stderr.write("The collections are not there. Set MKT_EVAL_DIR to the folder that has big and pairs.\n");
    return 1;
  }
  const model = trainRequestLikeness(requestExamples(readSources(evalDir), seededRandom(SEED)));
  const text = `${JSON.stringify(model, undefined, 2)}\n`;
  await writeFile(join(projectDir, MODEL_FILE), text);
  process.stdout.write(`${MODEL_FILE}: ${Object.keys(model.weights).length} words, ${text.length} characters\n`);
  if (args.includes("--fit")) await fitFloors(projectDir, evalDir, model);
  return 0;
}
