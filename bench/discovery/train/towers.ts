import { normaliseRows } from "./dense.ts";
import type { SparseRows } from "./sparse-rows.ts";

/** What is learnt: a vector a word, and the logarithm of how much the word counts in a request and in a tool. */
export interface Parameters {
  readonly dimensions: number;
  readonly vectors: Float32Array;
  readonly requestWeights: Float32Array;
  readonly toolWeights: Float32Array;
}

/** The gradients of the same, as they are summed up over a batch. */
export type Gradients = Parameters;

/** Some texts as unit vectors, row after row, with what the way back needs. */
export interface Encoded {
  readonly units: Float32Array;
  readonly lengths: Float32Array;
}

/** Which words a tower reads and how much each counts: the texts, the chosen rows of them, and e^weight · idf of each word. */
export interface Side {
  readonly texts: SparseRows;
  readonly chosen: Uint32Array;
  readonly importance: Float32Array;
}

/** How much each word counts: its inverse document frequency times what was learnt on top of it. */
export function importanceOf(idf: Float32Array, weights: Float32Array): Float32Array {
  return idf.map((value, word) => value * Math.exp(weights[word] ?? 0));
}

/** text → unit(Σ importance · value · vector of the word). */
export function encode(side: Side, { vectors, dimensions }: Parameters): Encoded {
  const units = new Float32Array(side.chosen.length * dimensions);
  forEachWord(side, (place, word, share) => {
    const target = place * dimensions;
    const source = word * dimensions;
    for (let at = 0; at < dimensions; at += 1) {
      units[target + at] = (units[target + at] ?? 0) + share * (vectors[source + at] ?? 0);
    }
  });
  return { units, lengths: normaliseRows(units, dimensions) };
}

/**
 * Adds to the gradients what a change of the unit vectors asks of the words: `towards` is the gradient of the loss by them, and
 * is turned into the one by the sums before they were made unit vectors.
 */
export function addGradients(
  side: Side,
  { units, lengths }: Encoded,
  towards: Float32Array,
  { vectors, dimensions }: Parameters,
  gradients: Gradients,
  weightGradients: Float32Array,
): void {
  throughUnit(units, lengths, towards, dimensions);
  forEachWord(side, (place, word, share) => {
    const from = place * dimensions;
    const target = word * dimensions;
    let along = 0;
    for (let at = 0; at < dimensions; at += 1) {
      const slope = towards[from + at] ?? 0;
      gradients.vectors[target + at] = (gradients.vectors[target + at] ?? 0) + share * slope;
      along += slope * (vectors[target + at] ?? 0);
    }
    weightGradients[word] = (weightGradients[word] ?? 0) + share * along;
  });
}

/** In place: only what is at right angles to a unit vector can move it, and the less the longer its sum was. */
function throughUnit(units: Float32Array, lengths: Float32Array, towards: Float32Array, width: number): void {
  for (const [row, length] of lengths.entries()) {
    const from = row * width;
    let along = 0;
    for (let at = from; at < from + width; at += 1) along += (units[at] ?? 0) * (towards[at] ?? 0);
    for (let at = from; at < from + width; at += 1) {
      towards[at] = length === 0 ? 0 : ((towards[at] ?? 0) - along * (units[at] ?? 0)) / length;
    }
  }
}

function forEachWord(
  { texts, chosen, importance }: Side,
  visit: (place: number, word: number, share: number) => void,
): void {
  for (const [place, row] of chosen.entries()) {
    const end = texts.starts[row + 1] ?? 0;
    for (let at = texts.starts[row] ?? 0; at < end; at += 1) {
      const word = texts.columns[at] ?? 0;
      visit(place, word, (texts.values[at] ?? 0) * (importance[word] ?? 0));
    }
  }
}
