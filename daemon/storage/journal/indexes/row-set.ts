/*
 * A set of rows of one workspace in an index: bit n is the n-th of its runs, oldest first. On the disk it is the list of the
 * numbers, or the bits in base64 where these are shorter.
 */

export type EncodedRows = readonly number[] | string;

/** Bytes that a number takes in a list, about. */
const BYTES_PER_NUMBER = 5;

/** `rows` ascend and are below `size`. */
export function encodeRows(rows: readonly number[], size: number): EncodedRows {
  if (rows.length * BYTES_PER_NUMBER < size / 6) return rows;
  return Buffer.from(bitsOfRows(rows, size)).toString("base64");
}

/** The bits of all these sets together. */
export function unionOfRows(sets: readonly EncodedRows[], size: number): Uint8Array {
  const bits = new Uint8Array(bytesFor(size));
  for (const set of sets) {
    const other = typeof set === "string" ? Buffer.from(set, "base64") : bitsOfRows(set, size);
    for (let at = 0; at < bits.length; at += 1) bits[at] = (bits[at] ?? 0) | (other[at] ?? 0);
  }
  return bits;
}

/** Leaves in `bits` what is also in `other`; false when nothing is left. */
export function intersectRows(bits: Uint8Array, other: Uint8Array): boolean {
  let left = 0;
  for (let at = 0; at < bits.length; at += 1) {
    const both = (bits[at] ?? 0) & (other[at] ?? 0);
    bits[at] = both;
    left |= both;
  }
  return left !== 0;
}

export function hasRow(bits: Uint8Array, row: number): boolean {
  return ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
}

/** The highest row of the set that is below `before`; -1 when there is none. */
export function lastRowBelow(bits: Uint8Array, before: number): number {
  let row = before - 1;
  while (row >= 0) {
    if ((bits[row >> 3] ?? 0) === 0) row = (row & ~7) - 1;
    else if (hasRow(bits, row)) return row;
    else row -= 1;
  }
  return -1;
}

function bitsOfRows(rows: readonly number[], size: number): Uint8Array {
  const bits = new Uint8Array(bytesFor(size));
  for (const row of rows) bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
  return bits;
}

function bytesFor(size: number): number {
  return Math.ceil(size / 8);
}
