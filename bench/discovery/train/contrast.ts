import { rowProducts, transposed } from "./dense.ts";

/** Requests and tools of a batch as unit vectors; as many of the one as of the other. */
export interface ContrastInput {
  readonly requests: Float32Array;
  readonly tools: Float32Array;
  readonly dimensions: number;
  readonly temperature: number;
  /** The tools that serve each request: each tool serves as many. */
  readonly rightTools: readonly (readonly number[])[];
  /** What is known of each request and tool without vectors, row after row: added to the cosines. */
  readonly known: Float32Array;
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
export function contrast(input: ContrastInput): Contrast {
  const { requests, tools, dimensions, temperature } = input;
  const size = requests.length / dimensions;
  const right = rightShares(input.rightTools, size);
  const logits = new Float32Array(size * size);
  rowProducts(requests, tools, dimensions, logits);
  for (const [place, cosine] of logits.entries()) {
    const isOut = right[place] === 0 && input.isAmbiguous(Math.floor(place / size), place % size);
    logits[place] = isOut ? Number.NEGATIVE_INFINITY : (cosine + (input.known[place] ?? 0)) / temperature;
  }
  const backwards = transposed(logits, size);
  const loss = (softmaxRows(logits, right, size) + softmaxRows(backwards, transposed(right, size), size)) / 2;
  const slopes = slopesOf(logits, backwards, right, size, temperature);
  const requestGradients = new Float32Array(requests.length);
  const toolGradients = new Float32Array(tools.length);
  rowProducts(slopes, transposed(tools, dimensions), size, requestGradients);
  rowProducts(transposed(slopes, size), transposed(requests, dimensions), size, toolGradients);
  return { loss, requestGradients, toolGradients };
}

/** Row after row: 1 for the tool that serves a request, a half for each where there are two, 0 for the others. */
function rightShares(rightTools: readonly (readonly number[])[], size: number): Float32Array {
  const shares = new Float32Array(size * size);
  for (const [request, tools] of rightTools.entries()) {
    for (const tool of tools) shares[request * size + tool] = 1 / tools.length;
  }
  return shares;
}

/** The gradient by the cosines: mean of both softmaxes less the shares of the right answers. */
function slopesOf(
  forwards: Float32Array,
  backwards: Float32Array,
  right: Float32Array,
  size: number,
  temperature: number,
): Float32Array {
  const turned = transposed(backwards, size);
  return forwards.map(
    (probability, place) => ((probability + (turned[place] ?? 0)) / 2 - (right[place] ?? 0)) / (size * temperature),
  );
}

/** Turns each row into probabilities, in place, and gives the mean of −log of those of the right answers. */
function softmaxRows(logits: Float32Array, right: Float32Array, size: number): number {
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
    for (let column = 0; column < size; column += 1) {
      const probability = (values[column] ?? 0) / sum;
      values[column] = probability;
      const share = right[row * size + column] ?? 0;
      if (share > 0) loss -= share * Math.log(Math.max(probability, Number.MIN_VALUE));
    }
  }
  return loss / size;
}
