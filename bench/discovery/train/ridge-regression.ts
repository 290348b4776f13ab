/**
 * The linear map that takes each source nearest to its target, with `ridge` times the squares of its own numbers against it: by
 * the normal equations. At least one pair; all sources and all targets have one length.
 */
export function ridgeRegression(
  sources: readonly Float32Array[],
  targets: readonly Float32Array[],
  ridge: number,
): (source: Float32Array) => Float32Array {
  const [from, to] = [sources[0]?.length ?? 0, targets[0]?.length ?? 0];
  const equations = Array.from({ length: from }, () => new Float64Array(from + to));
  for (const [row, equation] of equations.entries()) equation[row] = ridge;
  for (const [pair, source] of sources.entries()) {
    for (const [row, equation] of equations.entries()) {
      addTimes(equation, 0, source, source[row] ?? 0);
      addTimes(equation, from, targets[pair] ?? source, source[row] ?? 0);
    }
  }
  solve(equations);
  const weights = equations.map((equation) => equation.subarray(from));
  return (source) => {
    const result = new Float32Array(to);
    for (const [row, line] of weights.entries()) addTimes(result, 0, line, source[row] ?? 0);
    return result;
  };
}

/** By C. F. Gauss and W. Jordan, in place: the left part becomes the identity. A ridge above 0 keeps the pivots from 0. */
function solve(equations: readonly Float64Array[]): void {
  for (const [pivot, equation] of equations.entries()) {
    const head = equation[pivot] ?? 1;
    for (const [at, value] of equation.entries()) equation[at] = value / head;
    for (const other of equations) {
      if (other !== equation) addTimes(other, 0, equation, -(other[pivot] ?? 0));
    }
  }
}

function addTimes(to: Float64Array | Float32Array, begin: number, values: ArrayLike<number>, factor: number): void {
  if (factor === 0) return;
  for (let at = 0; at < values.length; at += 1) to[begin + at] = (to[begin + at] ?? 0) + factor * (values[at] ?? 0);
}
