import { rowProducts, transposed } from "./dense.ts";

/** Requests and tools of a batch as unit vectors; request n is served by tool n. */
export interface ContrastInput {
  readonly requests: Float32Array;
  readonly tools: Float32Array;
  readonly dimensions: number;
  readonly temperature: number;
  /** Whether the tool might serve the request although it is another's: then it counts as no wrong answer either. */
  readonly isAmbiguous: (request: number, tool: number) => boolean;
}

export interface Contrast {
  /** Mean of −log p(right tool | request) and −log p(right request | tool). */
  readonly loss: number;
  readonly requestGradients: Float32Array;
  readonly toolGradients: Float32Array;
}

/**
 * The symmetric softmax over a batch: every other tool is a wrong answer to a request, every other request a wrong one for a
 * tool. Loss and its gradients by the unit vectors.
 */
export function contrast({ requests, tools, dimensions, temperature, isAmbiguous }: ContrastInput): Contrast {
  const size = requests.length / dimensions;
  const logits = new Float32Array(size * size);
  rowProducts(requests, tools, dimensions, logits);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const place = row * size + column;
      const isOut = row !== column && isAmbiguous(row, column);
      logits[place] = isOut ? Number.NEGATIVE_INFINITY : (logits[place] ?? 0) / temperature;
    }
  }
  const backwards = transposed(logits, size);
  const loss = (softmaxRows(logits, size) + softmaxRows(backwards, size)) / 2;
  const slopes = slopesOf(logits, backwards, size, temperature);
  const requestGradients = new Float32Array(requests.length);
  const toolGradients = new Float32Array(tools.length);
  rowProducts(slopes, transposed(tools, dimensions), size, requestGradients);
  rowProducts(transposed(slopes, size), transposed(requests, dimensions), size, toolGradients);
  return { loss, requestGradients, toolGradients };
}

/** The gradient by the cosines: mean of both softmaxes less 1 where the answer is right. */
function slopesOf(forwards: Float32Array, backwards: Float32Array, size: number, temperature: number): Float32Array {
  const turned = transposed(backwards, size);
  return forwards.map((probability, place) => {
    const isRight = place % (size + 1) === 0;
    return ((probability + (turned[place] ?? 0)) / 2 - Number(isRight)) / (size * temperature);
  });
}

/** Turns each row into probabilities, in place, and gives the mean of −log of those on the diagonal. */
function softmaxRows(logits: Float32Array, size: number): number {
  let loss = 0;
  for (let row = 0; row < size; row += 1) {
    const values = logits.subarray(row * size, (row + 1) * size);
    const top = values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
    let sum = 0;
    for (let column = 0; column < size; column += 1) {
      const power = Math.exp((values[column] ?? 0) - top);
      values[column] = power;
      sum += power;
    }
    for (let column = 0; column < size; column += 1) values[column] = (values[column] ?? 0) / sum;
    loss -= Math.log(Math.max(values[row] ?? 0, Number.MIN_VALUE));
  }
  return loss / size;
}
