import { symmetricEigen } from "./symmetric-eigen.ts";

/**
 * Turns the vectors so that the first dimensions carry most of what tells the samples apart; cosines stay as they are. Samples
 * and vectors are row after row; gives the turned vectors. It is the second moment that is turned to, not the variance: cosines
 * see the mean too.
 */
export function turnToPrincipalAxes(vectors: Float32Array, samples: Float32Array, dimensions: number): Float32Array {
  const { vectors: axes } = symmetricEigen(secondMoment(samples, dimensions), dimensions);
  const turned = new Float32Array(vectors.length);
  for (let from = 0; from < vectors.length; from += dimensions) {
    for (let axis = 0; axis < dimensions; axis += 1) {
      let along = 0;
      for (let at = 0; at < dimensions; at += 1)
        along += (vectors[from + at] ?? 0) * (axes[axis * dimensions + at] ?? 0);
      turned[from + axis] = along;
    }
  }
  return turned;
}

function secondMoment(samples: Float32Array, size: number): Float64Array {
  const moment = new Float64Array(size * size);
  for (let from = 0; from < samples.length; from += size) {
    for (let row = 0; row < size; row += 1) {
      const value = samples[from + row] ?? 0;
      for (let column = 0; column < size; column += 1) {
        const place = row * size + column;
        moment[place] = (moment[place] ?? 0) + value * (samples[from + column] ?? 0);
      }
    }
  }
  return moment;
}
