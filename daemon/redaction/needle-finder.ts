/** A part of a text, by UTF-16 units; `end` is the first that is not part of it. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Finds all occurrences of many texts in another; ASCII letters are compared without regard to case. */
export interface NeedleFinder {
  /** The length of the shortest needle; a shorter text cannot contain one. */
  readonly minLength: number;
  /** No needle has any other character, so the meaning of other bytes does not matter. */
  readonly isAscii: boolean;
  /** In the first `length` units. */
  rangesIn(text: Uint16Array, length: number): TextRange[];
}

/** Longer windows do not distinguish needles better. */
const MAX_WINDOW = 8;
const BLOCK = 3;

/**
 * Wu and Manber's block search (TR-94-17): a table of three-character blocks tells how far the window may move, and
 * needles are compared only where their last characters may be. Time is proportional to the text, nearly independent of
 * the needles, and cannot be increased by hostile text. Compares ends, since secrets of one kind begin alike
 * (`sk_live_`, the head of a JWT).
 */
export function createNeedleFinder(needles: Iterable<string>): NeedleFinder {
  const folded = [...new Set([...needles].map(foldCase))].filter((needle) => needle.length >= BLOCK);
  if (folded.length === 0) return { minLength: Infinity, isAscii: true, rangesIn: () => [] };
  const minLength = folded.reduce((least, { length }) => Math.min(least, length), Infinity);
  const tables = buildTables(folded, minLength);
  return {
    minLength,
    isAscii: folded.every((needle) => !/[^\0-\x7f]/.test(needle)),
    rangesIn: (text, length) => findRanges(tables, text, length),
  };
}

interface NeedleTables {
  readonly window: number;
  readonly blockMask: number;
  /** How far the window may move, by the hash of its last block. */
  readonly shifts: Uint8Array;
  readonly tailMask: number;
  readonly mayBeTail: Uint8Array;
  readonly byTail: ReadonlyMap<number, readonly Uint16Array[]>;
}

function buildTables(folded: readonly string[], minLength: number): NeedleTables {
  const window = Math.min(minLength, MAX_WINDOW);
  // A block that begins at the last position of the window lets it move by one; if none is in it, it moves by its
  // length less a block.
  const blockMask = folded.length < 2_000 ? 0xffff : 0xf_ffff;
  const shifts = new Uint8Array(blockMask + 1).fill(window - BLOCK + 1);
  const byTail = new Map<number, Uint16Array[]>();
  const tailMask = 0xf_ffff;
  const mayBeTail = new Uint8Array(tailMask + 1);
  for (const needle of folded) {
    const first = needle.length - window;
    const units = Uint16Array.from({ length: needle.length }, (_, at) => needle.charCodeAt(at));
    for (let at = first + BLOCK - 1; at < needle.length; at++) {
      const block = hashBlock(unitAt(units, at), unitAt(units, at - 1), unitAt(units, at - 2)) & blockMask;
      shifts[block] = Math.min(shifts[block] ?? 0, needle.length - 1 - at);
    }
    const tail = hashTail(units, needle.length - 1, window);
    mayBeTail[tail & tailMask] = 1;
    byTail.set(tail, [...(byTail.get(tail) ?? []), units]);
  }
  return { window, blockMask, shifts, tailMask, mayBeTail, byTail };
}

function findRanges(tables: NeedleTables, text: Uint16Array, length: number): TextRange[] {
  const { window, blockMask, shifts, tailMask, mayBeTail, byTail } = tables;
  const ranges: TextRange[] = [];
  for (let at = window - 1; at < length;) {
    const block = hashBlock(unitAt(text, at), unitAt(text, at - 1), unitAt(text, at - 2)) & blockMask;
    const shift = shifts[block] ?? 0;
    if (shift > 0) {
      at += shift;
      continue;
    }
    const tail = hashTail(text, at, window);
    if (mayBeTail[tail & tailMask] === 1) {
      for (const needle of byTail.get(tail) ?? []) {
        const start = at - needle.length + 1;
        if (start >= 0 && standsAt(text, start, needle)) ranges.push({ start, end: at + 1 });
      }
    }
    at++;
  }
  return ranges;
}

function standsAt(text: Uint16Array, start: number, needle: Uint16Array): boolean {
  for (let at = needle.length - 1; at >= 0; at--) {
    if (unitAt(text, start + at) !== needle[at]) return false;
  }
  return true;
}

/** Lower case for ASCII only, so that all offsets stay the same. */
function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function unitAt(text: Uint16Array, at: number): number {
  const unit = text[at] ?? 0;
  return unit >= 65 && unit <= 90 ? unit | 32 : unit;
}

function hashBlock(last: number, middle: number, first: number): number {
  return last ^ (middle << 5) ^ (first << 10) ^ (first >> 2);
}

function hashTail(text: Uint16Array, end: number, window: number): number {
  let hash = 7;
  for (let at = end; at > end - window; at--) hash = Math.imul(hash, 0x0100_0193) ^ unitAt(text, at);
  return hash ^ (hash >>> 15);
}
