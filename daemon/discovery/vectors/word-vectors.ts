import { searchFields, type SearchField } from "../search-document.ts";
import { fieldWeights } from "./field-weights.ts";
import type { WordTable } from "./word-table.ts";

/** The stems of a document, field by field; repeats count. Absent fields have none. */
export type DocumentStems = Readonly<Partial<Record<SearchField, readonly string[]>>>;

/** A word of a query: the stems that may stand for it, and how much it says; see `QueryWord`. */
export interface WeightedStems {
  readonly stems: readonly string[];
  readonly weight: number;
}

/** A word that is near to another, and how near: a cosine. */
export interface NearWord {
  readonly stem: string;
  readonly cosine: number;
}

/**
 * Words that stand for the same things have vectors that point the same way; a query and a document are compared by the cosine
 * of theirs.
 */
export interface WordVectors {
  readonly dimensions: number;
  /** What it was made of. */
  readonly table: WordTable;
  /** The row of a stem, or −1 where it has no vector. */
  rowOf(stem: string): number;
  /** A unit vector, or all zeros where no word has a vector. A stem of several words counts once, by the largest weight. */
  queryVector(words: readonly WeightedStems[]): Float32Array;
  /** A unit vector, or all zeros where no word has a vector. */
  documentVector(document: DocumentStems): Float32Array;
  /** The words whose vectors point most the way of this one; the nearest first. `vectorOf` gives one for a stem. */
  nearest(vector: Float32Array, count: number): readonly NearWord[];
  /** The unit vector of a stem, or undefined where it has none. */
  vectorOf(stem: string): Float32Array | undefined;
}

/** Vectors as they are in the table. Not for two callers at once: documents are added up in one place. */
export function createWordVectors(table: WordTable): WordVectors {
  const { dimensions, stems, requestWeights, documentWeights, rows } = table;
  const rowByStem = new Map(stems.map((stem, row) => [stem, row]));
  const rowOf = (stem: string) => rowByStem.get(stem) ?? -1;
  const countWords = createWordCounter(stems.length);

  const addRow = (target: Float32Array, row: number, share: number) => {
    const from = row * dimensions;
    for (let at = 0; at < dimensions; at += 1) target[at] = (target[at] ?? 0) + share * (rows[from + at] ?? 0);
  };

  return {
    dimensions,
    table,
    rowOf,
    queryVector(words) {
      const sum = new Float32Array(dimensions);
      for (const [row, weight] of weightsByRow(words, rowOf)) addRow(sum, row, (requestWeights[row] ?? 0) * weight);
      return toUnit(sum);
    },
    documentVector(document) {
      const sum = new Float32Array(dimensions);
      countWords(document, rowOf, (row, count) => addRow(sum, row, (documentWeights[row] ?? 0) * Math.log1p(count)));
      return toUnit(sum);
    },
    nearest(vector, count) {
      const cosines = lengthsOf(rows, dimensions).map((length, row) =>
        length === 0 ? 0 : dotRow(vector, rows, row) / length,
      );
      return [...cosines.keys()]
        .sort((one, other) => (cosines[other] ?? 0) - (cosines[one] ?? 0) || one - other)
        .slice(0, count)
        .map((row) => ({ stem: stems[row] ?? "", cosine: cosines[row] ?? 0 }));
    },
    vectorOf(stem) {
      const row = rowOf(stem);
      if (row < 0) return undefined;
      const vector = new Float32Array(dimensions);
      addRow(vector, row, 1);
      return toUnit(vector);
    },
  };
}

/** In place: of length 1, unless it is all zeros. */
export function toUnit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const length = Math.sqrt(squares);
  for (const [at, value] of vector.entries()) vector[at] = value / length;
  return vector;
}

type WordCounter = (
  document: DocumentStems,
  rowOf: (stem: string) => number,
  visit: (row: number, count: number) => void,
) => void;

/** Counts each known word of a document, an occurrence counting by its field; the counts live in one array between documents. */
function createWordCounter(words: number): WordCounter {
  const counts = new Float32Array(words);
  return (document, rowOf, visit) => {
    const seen: number[] = [];
    for (const field of searchFields) {
      for (const stem of document[field] ?? []) {
        const row = rowOf(stem);
        if (row < 0) continue;
        const before = counts[row] ?? 0;
        if (before === 0) seen.push(row);
        counts[row] = before + fieldWeights[field];
      }
    }
    for (const row of seen) {
      visit(row, counts[row] ?? 0);
      counts[row] = 0;
    }
  };
}

function weightsByRow(words: readonly WeightedStems[], rowOf: (stem: string) => number): Map<number, number> {
  const weights = new Map<number, number>();
  for (const { stems, weight } of words) {
    for (const row of stems.map(rowOf)) {
      if (row >= 0) weights.set(row, Math.max(weights.get(row) ?? 0, weight));
    }
  }
  return weights;
}

function lengthsOf(rows: Int8Array, width: number): Float32Array {
  return Float32Array.from({ length: width === 0 ? 0 : rows.length / width }, (_, row) => {
    let squares = 0;
    for (let at = row * width; at < (row + 1) * width; at += 1) squares += (rows[at] ?? 0) ** 2;
    return Math.sqrt(squares);
  });
}

function dotRow(vector: Float32Array, rows: Int8Array, row: number): number {
  const from = row * vector.length;
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] ?? 0) * (rows[from + at] ?? 0);
  return sum;
}
