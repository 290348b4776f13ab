const FIRST = 0.9;
const SECOND = 0.999;
const EPSILON = 1e-8;

/** Takes a step down a gradient, in place, each time that it is called. */
export type Descend = (values: Float32Array, gradient: Float32Array) => void;

/** D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization" (2015), with their constants; for one array. */
export function adam(size: number, rate: number): Descend {
  const means = new Float32Array(size);
  const squares = new Float32Array(size);
  let step = 0;
  return (values, gradient) => {
    step += 1;
    const meanScale = 1 / (1 - FIRST ** step);
    const squareScale = 1 / (1 - SECOND ** step);
    for (let at = 0; at < size; at += 1) {
      const slope = gradient[at] ?? 0;
      const mean = FIRST * (means[at] ?? 0) + (1 - FIRST) * slope;
      const square = SECOND * (squares[at] ?? 0) + (1 - SECOND) * slope * slope;
      means[at] = mean;
      squares[at] = square;
      values[at] = (values[at] ?? 0) - (rate * mean * meanScale) / (Math.sqrt(square * squareScale) + EPSILON);
    }
  };
}
