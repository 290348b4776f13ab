import { type KernelMemory, LANES, openKernelMemory } from "./simd/row-kernel.ts";

/** Inner products of a query with rows of signed bytes: exact integers, the same with and without SIMD. */
export interface RowProducts {
  /** With every row, in order. Valid until the next call. */
  withAll(query: Int16Array): Int32Array;
  with(query: Int16Array, row: number): number;
}

/** The rows in one piece, `width` numbers each. A query has `width` numbers, each within ±1,000. */
export interface Rows {
  readonly rows: Int8Array;
  readonly width: number;
}

/** From this size on, copying the rows for the kernel is worthwhile. */
const FEW_BYTES = 65_536;

export function createRowProducts(rows: Rows): RowProducts {
  return (rows.rows.length < FEW_BYTES ? undefined : createKernelProducts(rows)) ?? createPlainProducts(rows);
}

/** One number after the other. */
export function createPlainProducts({ rows, width }: Rows): RowProducts {
  const sums = new Int32Array(countOf({ rows, width }));
  return {
    withAll(query) {
      for (let row = 0; row < sums.length; row += 1) sums[row] = product(query, rows, row * width);
      return sums;
    },
    with: (query, row) => product(query, rows, row * width),
  };
}

/** Sixteen numbers at once, on a copy of the rows. Undefined when SIMD is not available. */
export function createKernelProducts({ rows, width }: Rows): RowProducts | undefined {
  const count = countOf({ rows, width });
  if (count === 0) return undefined;
  const stride = Math.ceil(width / LANES) * LANES;
  const places = placesOf(count, stride);
  const memory = openKernelMemory(places.end);
  if (memory === undefined) return undefined;
  copyRows({ rows, width }, stride, memory);
  const factors = new Int16Array(memory.buffer, places.factors, width);
  const sums = new Int32Array(memory.buffer, places.sums, count);
  const single = new Int32Array(memory.buffer, places.single, 1);
  return {
    withAll(query) {
      factors.set(query);
      memory.run(0, count * stride, places.factors, stride, places.sums);
      return sums;
    },
    with(query, row) {
      factors.set(query);
      memory.run(row * stride, (row + 1) * stride, places.factors, stride, places.single);
      return single[0] ?? 0;
    },
  };
}

function countOf({ rows, width }: Rows): number {
  return width === 0 ? 0 : rows.length / width;
}

/** Offsets of the rows, the query, a sum for each row, and one for a single requested row. */
function placesOf(count: number, stride: number) {
  const factors = count * stride;
  const sums = factors + stride * Int16Array.BYTES_PER_ELEMENT;
  const single = sums + count * Int32Array.BYTES_PER_ELEMENT;
  return { factors, sums, single, end: single + Int32Array.BYTES_PER_ELEMENT };
}

/** The padding between rows stays 0. */
function copyRows({ rows, width }: Rows, stride: number, { buffer }: KernelMemory): void {
  const copy = new Int8Array(buffer);
  if (stride === width) {
    copy.set(rows);
    return;
  }
  for (let from = 0, to = 0; from < rows.length; from += width, to += stride) {
    copy.set(rows.subarray(from, from + width), to);
  }
}

function product(query: Int16Array, rows: Int8Array, from: number): number {
  let sum = 0;
  for (let at = 0; at < query.length; at += 1) sum = (sum + Math.imul(query[at] ?? 0, rows[from + at] ?? 0)) | 0;
  return sum;
}
