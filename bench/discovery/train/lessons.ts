import { isAmbiguousIn, type Batch } from "./batches.ts";
import type { ContrastInput } from "./contrast.ts";
import { toSparseRows, type SparseRows } from "./sparse-rows.ts";
import type { Side } from "./towers.ts";

/** Requests, tools, and which of these serve which of those. */
export interface Lesson extends Pick<ContrastInput, "rightTools" | "isAmbiguous"> {
  readonly requests: Omit<Side, "importance">;
  readonly tools: Omit<Side, "importance">;
}

/** Each request is served by its own tool. */
export function lessonOfOne(batch: Batch): Lesson {
  const { view, rows } = batch;
  return {
    requests: { texts: view.requests, chosen: rows },
    tools: { texts: view.tools, chosen: rows },
    rightTools: Array.from(rows, (_, place) => [place]),
    isAmbiguous: isAmbiguousIn(batch),
  };
}

/** Each request asks for what the next one asks for too, as people do: the tools of both serve it. */
export function lessonOfTwo(batch: Batch): Lesson {
  const { view, rows } = batch;
  const next = (place: number) => nextOf(place, rows.length);
  const isAmbiguous = isAmbiguousIn(batch);
  return {
    requests: { texts: requestsForTwo(batch), chosen: Uint32Array.from(rows.keys()) },
    tools: { texts: view.tools, chosen: rows },
    rightTools: Array.from(rows, (_, place) => [...new Set([place, next(place)])]),
    isAmbiguous: (request, tool) => isAmbiguous(request, tool) || isAmbiguous(next(request), tool),
  };
}

/** Who comes next in a batch; the first after the last. */
function nextOf(place: number, size: number): number {
  return (place + 1) % size;
}

/** The words of each request of a batch, with those of the next one. */
function requestsForTwo({ view, rows }: Batch): SparseRows {
  return toSparseRows(
    Array.from(rows, (row, place) => {
      const words = wordsOf(view.requests, row);
      for (const [word, value] of wordsOf(view.requests, rows[nextOf(place, rows.length)] ?? row)) {
        words.set(word, Math.max(value, words.get(word) ?? 0));
      }
      return words;
    }),
  );
}

function wordsOf({ starts, columns, values }: SparseRows, row: number): Map<number, number> {
  const [from, to] = [starts[row] ?? 0, starts[row + 1] ?? 0];
  return new Map(Array.from(columns.subarray(from, to), (word, at) => [word, values[from + at] ?? 0]));
}
