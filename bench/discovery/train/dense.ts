/** Dense matrices, row after row, in one array each; the callers know their sizes. */

/** Every row of the first times every row of the second: `first` rows × `second` rows. Four rows at a time: twice as fast. */
export function rowProducts(one: Float32Array, other: Float32Array, width: number, result: Float32Array): void {
  const rows = one.length / width;
  const others = other.length / width;
  const byFour = others - (others % 4);
  for (let row = 0; row < rows; row += 1) {
    const from = row * width;
    for (let second = 0; second < byFour; second += 4) {
      const a = second * width;
      const [b, c, d] = [a + width, a + 2 * width, a + 3 * width];
      let [s, t, u, v] = [0, 0, 0, 0];
      for (let at = 0; at < width; at += 1) {
        const value = one[from + at] ?? 0;
        s += value * (other[a + at] ?? 0);
        t += value * (other[b + at] ?? 0);
        u += value * (other[c + at] ?? 0);
        v += value * (other[d + at] ?? 0);
      }
      const target = row * others + second;
      result[target] = s;
      result[target + 1] = t;
      result[target + 2] = u;
      result[target + 3] = v;
    }
    for (let second = byFour; second < others; second += 1) {
      let sum = 0;
      for (let at = 0; at < width; at += 1) sum += (one[from + at] ?? 0) * (other[second * width + at] ?? 0);
      result[row * others + second] = sum;
    }
  }
}

/** The matrix with its rows as columns. */
export function transposed(matrix: Float32Array, width: number): Float32Array {
  const rows = matrix.length / width;
  const result = new Float32Array(matrix.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < width; column += 1) result[column * rows + row] = matrix[row * width + column] ?? 0;
  }
  return result;
}

/** Makes every row a unit vector, in place, and gives the lengths that they had; rows of zeros stay. */
export function normaliseRows(matrix: Float32Array, width: number): Float32Array {
  const lengths = new Float32Array(matrix.length / width);
  for (let row = 0; row < lengths.length; row += 1) {
    let squares = 0;
    for (let at = row * width; at < (row + 1) * width; at += 1) squares += (matrix[at] ?? 0) ** 2;
    const length = Math.sqrt(squares);
    lengths[row] = length;
    if (length === 0) continue;
    for (let at = row * width; at < (row + 1) * width; at += 1) matrix[at] = (matrix[at] ?? 0) / length;
  }
  return lengths;
}
