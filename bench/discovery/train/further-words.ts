import type { GeneralVectors } from "./general-vectors.ts";
import { ridgeRegression } from "./ridge-regression.ts";
import type { Parameters } from "./towers.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Words beyond this rank in general English say too little about where others belong. */
const TEACHING_RANK = 30_000;
const RIDGE = 3;
/** By Zipf's law the word of rank r is in about 2 / r of all texts. */
const ZIPF = 2;

/** What was learnt, with the words that it is about. */
export interface Learnt {
  readonly parameters: Parameters;
  readonly vocabulary: Vocabulary;
}

/**
 * Adds the most frequent words of general English that too few texts have to be learnt from, up to `words` in all. Their vectors
 * are what a linear map makes of the general ones: the map that comes nearest to what was learnt for the words that both have.
 * Throws where no word is in both.
 */
export function addFurtherWords({ parameters, vocabulary }: Learnt, general: GeneralVectors, words: number): Learnt {
  const { dimensions, vectors } = parameters;
  const shared = vocabulary.stems.flatMap((stem, word) => {
    const row = general.rowOf(stem);
    return row < 0 || (general.ranks[row] ?? 0) > TEACHING_RANK ? [] : [{ word, row }];
  });
  if (shared.length === 0)
    throw new Error("No word of the texts is one of general English: further words have no place");
  const learnt = shared.map(({ word }) => vectors.subarray(word * dimensions, (word + 1) * dimensions));
  const map = ridgeRegression(
    shared.map(({ row }) => rowOf(general, row)),
    learnt,
    RIDGE,
  );
  const meanLength = learnt.reduce((sum, vector) => sum + lengthOf(vector), 0) / learnt.length;
  const further = general.stems
    .flatMap((stem, row) => (vocabulary.rowOf(stem) < 0 ? [row] : []))
    .slice(0, Math.max(0, words - vocabulary.stems.length));
  const stems = [...vocabulary.stems, ...further.map((row) => general.stems[row] ?? "")];
  const all = new Float32Array(stems.length * dimensions);
  all.set(vectors);
  const idf = grown(vocabulary.idf, stems.length);
  for (const [place, row] of further.entries()) {
    const word = vocabulary.stems.length + place;
    const mapped = map(rowOf(general, row));
    const scale = meanLength / (lengthOf(mapped) || 1);
    all.set(
      mapped.map((value) => value * scale),
      word * dimensions,
    );
    idf[word] = Math.log(1 + (general.ranks[row] ?? 0) / ZIPF);
  }
  const rows = new Map(stems.map((stem, row) => [stem, row]));
  return {
    parameters: {
      dimensions,
      vectors: all,
      requestWeights: grown(parameters.requestWeights, stems.length),
      toolWeights: grown(parameters.toolWeights, stems.length),
    },
    vocabulary: { stems, idf, rowOf: (stem) => rows.get(stem) ?? -1 },
  };
}

function rowOf({ rows, width }: GeneralVectors, row: number): Float32Array {
  return rows.subarray(row * width, (row + 1) * width);
}

function grown(values: Float32Array, length: number): Float32Array {
  const result = new Float32Array(length);
  result.set(values);
  return result;
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}
