import type { SymmetricMatrix } from "./co-occurrence.ts";
import type { Random } from "./random.ts";
import { symmetricEigen } from "./symmetric-eigen.ts";

/** More directions than are asked for: the last ones of what a random start finds are poor. */
const OVERSAMPLING = 16;
const POWER_ITERATIONS = 3;
/** Of the length of a column, what rounding may leave of it. */
const NEGLIGIBLE = 1e-9;

/**
 * A vector for each row of a symmetric matrix, row after row: its first singular vectors, each times the root of its singular
 * value. After N. Halko, P. G. Martinsson and J. A. Tropp, "Finding structure with randomness" (2011), 4.4 and 5.3.
 */
export function singularRows(matrix: SymmetricMatrix, dimensions: number, random: Random): Float32Array {
  const { size } = matrix;
  const start = Array.from({ length: dimensions + OVERSAMPLING }, () =>
    Float64Array.from({ length: size }, random.normal),
  );
  let basis = orthonormal(start.map((column) => product(matrix, column)));
  for (let round = 0; round < POWER_ITERATIONS; round += 1) {
    basis = orthonormal(basis.map((column) => product(matrix, column)));
  }
  const { values, vectors } = symmetricEigen(within(matrix, basis), basis.length);
  const rows = new Float32Array(size * dimensions);
  for (let dimension = 0; dimension < dimensions; dimension += 1) {
    const root = Math.sqrt(Math.abs(values[dimension] ?? 0));
    const mix = vectors.subarray(dimension * basis.length, (dimension + 1) * basis.length);
    for (const [place, column] of basis.entries()) {
      const share = root * (mix[place] ?? 0);
      for (let row = 0; row < size; row += 1) {
        const target = row * dimensions + dimension;
        rows[target] = (rows[target] ?? 0) + share * (column[row] ?? 0);
      }
    }
  }
  return rows;
}

function product({ size, starts, columns, values }: SymmetricMatrix, vector: Float64Array): Float64Array {
  const result = new Float64Array(size);
  let at = 0;
  for (let row = 0; row < size; row += 1) {
    const end = starts[row + 1] ?? 0;
    let sum = 0;
    for (; at < end; at += 1) sum += (values[at] ?? 0) * (vector[columns[at] ?? 0] ?? 0);
    result[row] = sum;
  }
  return result;
}

/**
 * By Gram and Schmidt, each column twice: once leaves too much of the earlier ones when columns are nearly alike. A column that
 * the earlier ones make up is left out.
 */
function orthonormal(columns: readonly Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const column of columns) {
    const before = lengthOf(column);
    for (const earlier of [...done, ...done]) subtract(column, earlier, dot(column, earlier));
    const length = lengthOf(column);
    if (length <= NEGLIGIBLE * before) continue;
    done.push(column.map((value) => value / length));
  }
  return done;
}

/** The matrix as it acts between the columns of a basis. */
function within(matrix: SymmetricMatrix, basis: readonly Float64Array[]): Float64Array {
  const images = basis.map((column) => product(matrix, column));
  return Float64Array.from(basis.flatMap((column) => images.map((image) => dot(column, image))));
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let row = 0; row < one.length; row += 1) sum += (one[row] ?? 0) * (other[row] ?? 0);
  return sum;
}

function lengthOf(column: Float64Array): number {
  return Math.sqrt(dot(column, column));
}

function subtract(from: Float64Array, column: Float64Array, times: number): void {
  for (let row = 0; row < from.length; row += 1) from[row] = (from[row] ?? 0) - times * (column[row] ?? 0);
}
