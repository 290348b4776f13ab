/** Eigenvalues of a symmetric matrix with their unit vectors, the largest absolute value first. */
export interface Eigen {
  readonly values: Float64Array;
  /** Vector after vector, each of `size` numbers. */
  readonly vectors: Float64Array;
}

const MAX_SWEEPS = 30;
/** Of the sum of squares, what may be left off the diagonal. */
const TOLERANCE = 1e-18;

/** By cyclic rotations of C. G. J. Jacobi; for some hundred rows. The matrix is given row after row. */
export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const work = matrix.slice();
  const vectors = identity(size);
  const limit = TOLERANCE * work.reduce((sum, value) => sum + value * value, 0);
  for (let sweep = 0; sweep < MAX_SWEEPS && offDiagonal(work, size) > limit; sweep += 1) {
    for (let p = 0; p < size - 1; p += 1) for (let q = p + 1; q < size; q += 1) rotate(work, vectors, size, p, q);
  }
  const order = [...Array(size).keys()].sort(
    (one, other) => Math.abs(at(work, size, other)) - Math.abs(at(work, size, one)),
  );
  const sorted = new Float64Array(size * size);
  for (const [place, from] of order.entries())
    sorted.set(vectors.subarray(from * size, (from + 1) * size), place * size);
  return { values: Float64Array.from(order, (from) => at(work, size, from)), vectors: sorted };
}

/** Turns rows and columns p and q so that the entry where they cross becomes 0. */
function rotate(work: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void {
  const crossing = work[p * size + q] ?? 0;
  if (crossing === 0) return;
  const theta = (at(work, size, q) - at(work, size, p)) / (2 * crossing);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  turn(work, p, q, size, size, 1, cosine, sine);
  turn(work, p, q, size, 1, size, cosine, sine);
  turn(vectors, p, q, size, size, 1, cosine, sine);
}

/** Turns two lines of a matrix: rows with a stride of (size, 1), columns with (1, size). */
function turn(
  matrix: Float64Array,
  p: number,
  q: number,
  size: number,
  line: number,
  step: number,
  cosine: number,
  sine: number,
): void {
  for (let k = 0; k < size; k += 1) {
    const first = p * line + k * step;
    const second = q * line + k * step;
    const one = matrix[first] ?? 0;
    const other = matrix[second] ?? 0;
    matrix[first] = cosine * one - sine * other;
    matrix[second] = sine * one + cosine * other;
  }
}

function offDiagonal(matrix: Float64Array, size: number): number {
  let sum = 0;
  for (let p = 0; p < size; p += 1) for (let q = p + 1; q < size; q += 1) sum += 2 * (matrix[p * size + q] ?? 0) ** 2;
  return sum;
}

function at(matrix: Float64Array, size: number, place: number): number {
  return matrix[place * size + place] ?? 0;
}

function identity(size: number): Float64Array {
  const matrix = new Float64Array(size * size);
  for (let place = 0; place < size; place += 1) matrix[place * size + place] = 1;
  return matrix;
}
