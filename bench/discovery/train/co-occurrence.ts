import { transposePattern, type SparseRows } from "./sparse-rows.ts";

/** A symmetric sparse matrix in rows. */
export type SymmetricMatrix = SparseRows;

/** How much less a frequent word counts as a neighbour than its frequency says: 0.75 of O. Levy, both ways on average. */
const SMOOTHING = (1 + 0.75) / 2;

/**
 * Positive pointwise mutual information of words that stand in one text: how much more often they do than their frequencies
 * alone would bring. A text of n words gives each pair 1/n, so that long ones do not outweigh the others.
 * After O. Levy and Y. Goldberg, "Neural word embedding as implicit matrix factorization" (2014).
 */
export function positivePmi(texts: readonly SparseRows[], words: number): SymmetricMatrix {
  const sources = texts.map((rows) => ({ rows, textsOf: transposePattern(rows, words) }));
  const rowOf = coOccurrencesOf(sources, words);
  const marginals = Float64Array.from({ length: words }, (_, word) => sum(rowOf(word).counts, rowOf(word).seen));
  const smoothed = marginals.map((marginal) => marginal ** 0.75);
  const logTotal = Math.log(smoothed.reduce((total, value) => total + value, 0));
  const logs = marginals.map((marginal) => SMOOTHING * Math.log(Math.max(marginal, Number.MIN_VALUE)));
  return collectRows(words, (word, add) => {
    const { counts, seen } = rowOf(word);
    for (const other of seen) {
      const pmi = Math.log(counts[other] ?? 0) + logTotal - (logs[word] ?? 0) - (logs[other] ?? 0);
      if (pmi > 0) add(other, pmi);
    }
  });
}

interface CoOccurrences {
  /** By word; only those of `seen` count. Overwritten by the next question. */
  readonly counts: Float64Array;
  readonly seen: readonly number[];
}

/** How often each word stands with a word, itself among them. */
function coOccurrencesOf(
  sources: readonly { readonly rows: SparseRows; readonly textsOf: SparseRows }[],
  words: number,
): (word: number) => CoOccurrences {
  const counts = new Float64Array(words);
  const last = { word: -1, seen: [] as number[] };
  return (word) => {
    if (word === last.word) return { counts, seen: last.seen };
    for (const other of last.seen) counts[other] = 0;
    const seen: number[] = [];
    for (const { rows, textsOf } of sources) {
      const end = textsOf.starts[word + 1] ?? 0;
      for (let at = textsOf.starts[word] ?? 0; at < end; at += 1) addText(rows, textsOf.columns[at] ?? 0, counts, seen);
    }
    last.word = word;
    last.seen = seen;
    return { counts, seen };
  };
}

function addText(rows: SparseRows, text: number, counts: Float64Array, seen: number[]): void {
  const start = rows.starts[text] ?? 0;
  const end = rows.starts[text + 1] ?? 0;
  const share = 1 / (end - start);
  for (let at = start; at < end; at += 1) {
    const other = rows.columns[at] ?? 0;
    const before = counts[other] ?? 0;
    if (before === 0) seen.push(other);
    counts[other] = before + share;
  }
}

function collectRows(
  size: number,
  fill: (row: number, add: (column: number, value: number) => void) => void,
): SymmetricMatrix {
  const starts = new Uint32Array(size + 1);
  const columns: Uint32Array[] = [];
  const values: Float32Array[] = [];
  for (let row = 0; row < size; row += 1) {
    const rowColumns: number[] = [];
    const rowValues: number[] = [];
    fill(row, (column, value) => {
      rowColumns.push(column);
      rowValues.push(value);
    });
    columns.push(Uint32Array.from(rowColumns));
    values.push(Float32Array.from(rowValues));
    starts[row + 1] = (starts[row] ?? 0) + rowColumns.length;
  }
  return { size, starts, columns: joinIntegers(columns), values: joinFloats(values) };
}

function joinIntegers(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((length, part) => length + part.length, 0));
  let place = 0;
  for (const part of parts) {
    joined.set(part, place);
    place += part.length;
  }
  return joined;
}

function joinFloats(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let place = 0;
  for (const part of parts) {
    joined.set(part, place);
    place += part.length;
  }
  return joined;
}

function sum(counts: Float64Array, seen: readonly number[]): number {
  return seen.reduce((total, other) => total + (counts[other] ?? 0), 0);
}
