import { searchFields, type SearchField } from "../documents/search-document.ts";
import { FIELD_REPEATS } from "./field-repeats.ts";
import type { WordTable } from "./word-table.ts";

/** The stems of a document, field by field; repeats count. Absent fields have none. */
export type DocumentStems = Readonly<Partial<Record<SearchField, readonly string[]>>>;

/** A word of a query: the stems that may stand for it, and its weight; see `QueryWord`. */
export interface WeightedStems {
  readonly stems: readonly string[];
  readonly weight: number;
}

/**
 * Words of similar meaning have vectors in similar directions; a query and a document are compared by the cosine of
 * theirs.
 */
export interface WordVectors {
  readonly dimensions: number;
  /** The table that it was made from. */
  readonly table: WordTable;
  /** The row of a stem, or −1 when it has no vector. */
  rowOf(stem: string): number;
  /**
   * A unit vector, or all zeros when no word has a vector. A stem of several words counts once, with the largest
   * weight.
   */
  queryVector(words: readonly WeightedStems[]): Float32Array;
  /** A unit vector, or all zeros when no word has a vector. */
  documentVector(document: DocumentStems): Float32Array;
}

/** Vectors as they are in the table. Not reentrant: documents are summed in a shared array. */
export function createWordVectors(table: WordTable): WordVectors {
  const { dimensions, requestWeights, documentWeights, rows } = table;
  let rowByStem: Map<string, number> | undefined;
  const rowOf = (stem: string) => (rowByStem ??= numbered(table.stems)).get(stem) ?? -1;
  const countWords = createWordCounter(documentWeights.length);

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
  };
}

function numbered(stems: readonly string[]): Map<string, number> {
  const rows = new Map<string, number>();
  for (const [row, stem] of stems.entries()) rows.set(stem, row);
  return rows;
}

/** In place: scales to length 1, unless it is all zeros. */
export function toUnit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const length = Math.sqrt(squares);
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}

type WordCounter = (
  document: DocumentStems,
  rowOf: (stem: string) => number,
  visit: (row: number, count: number) => void,
) => void;

/** Counts each known word of a document, weighted by its field; the array of counts is reused for all documents. */
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
        counts[row] = before + FIELD_REPEATS[field];
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
