import type { Random } from "./random.ts";
import { isEmptyRow, rowKeys, type SparseRows } from "./sparse-rows.ts";

/** Texts that belong together, row by row: a request and the tool that serves it. */
export interface View {
  readonly requests: SparseRows;
  readonly tools: SparseRows;
  /** Equal for equal texts. */
  readonly requestKeys: Uint32Array;
  readonly toolKeys: Uint32Array;
}

/** Rows of a view of which batches are drawn. */
export interface Pool {
  readonly view: View;
  /** Neighbours are alike: endpoints of a provider stand together. */
  readonly rows: Uint32Array;
}

export interface Batch {
  readonly view: View;
  readonly rows: Uint32Array;
}

export function viewOf(requests: SparseRows, tools: SparseRows): View {
  return { requests, tools, requestKeys: rowKeys(requests), toolKeys: rowKeys(tools) };
}

/** All rows, or those that are given, where both sides have a word. */
export function poolOf(view: View, rows: Iterable<number> = Array(view.requests.size).keys()): Pool {
  const usable = [...rows].filter((row) => !isEmptyRow(view.requests, row) && !isEmptyRow(view.tools, row));
  return { view, rows: Uint32Array.from(usable) };
}

/** Any rows, each at most once; all of them where there are too few. */
export function drawRows({ view, rows }: Pool, size: number, random: Random): Batch {
  const deck = rows.slice();
  const count = Math.min(size, deck.length);
  for (let place = 0; place < count; place += 1) {
    const other = place + random.below(deck.length - place);
    [deck[place], deck[other]] = [deck[other] ?? 0, deck[place] ?? 0];
  }
  return { view, rows: deck.subarray(0, count) };
}

/** Runs of neighbours from anywhere: wrong answers that are hard to tell from the right one. */
export function drawRuns({ view, rows }: Pool, size: number, runLength: number, random: Random): Batch {
  const chosen = new Set<number>();
  const starts = Math.max(1, rows.length - runLength);
  for (let run = 0; run < size / runLength; run += 1) {
    const start = random.below(starts);
    for (const row of rows.subarray(start, start + runLength)) chosen.add(row);
  }
  return { view, rows: Uint32Array.from(chosen) };
}

/** Which pool comes next: the more it holds the likelier, by the root of its size. */
export function drawPool(pools: readonly Pool[], random: Random): Pool | undefined {
  const shares = pools.map(({ rows }) => Math.sqrt(rows.length));
  let left = random.next() * shares.reduce((sum, share) => sum + share, 0);
  return pools.find((_, place) => (left -= shares[place] ?? 0) < 0) ?? pools.at(-1);
}

/** Equal requests or equal tools: the tool of the one serves the other too. */
export function isAmbiguousIn({ view, rows }: Batch): (one: number, other: number) => boolean {
  const requests = rows.map((row) => view.requestKeys[row] ?? 0);
  const tools = rows.map((row) => view.toolKeys[row] ?? 0);
  return (one, other) => requests[one] === requests[other] || tools[one] === tools[other];
}
