/**
 * Many short texts in a few flat arrays: their UTF-8 bytes in sequence, the start of each, and a hash table (open
 * addressing, FNV-1a) that finds a text in well under a microsecond. A Map of the same texts takes ten times the
 * memory.
 */
export interface StringTable {
  readonly bytes: Uint8Array;
  /** The start of each text, and the end of the last. */
  readonly starts: Uint32Array;
  /**
   * The number of a text with that hash, + 1; 0 for an empty slot. Its length is a power of two; empty: nothing can be
   * found.
   */
  readonly slots: Uint32Array;
}

/** Longer texts are kept, but cannot be found. */
const MAX_FOUND_BYTES = 512;

const encoder = new TextEncoder();
const scratch = new Uint8Array(MAX_FOUND_BYTES);

export function packStrings(texts: readonly string[], { canFind }: { readonly canFind: boolean }): StringTable {
  const encoded = encoder.encode(texts.join(""));
  const starts = new Uint32Array(texts.length + 1);
  for (const [number, text] of texts.entries()) starts[number + 1] = (starts[number] ?? 0) + Buffer.byteLength(text);
  return { bytes: encoded, starts, slots: canFind ? hashAll(encoded, starts) : new Uint32Array(0) };
}

/** The number of a text; −1 when it is not in the table. */
export function findString({ bytes, starts, slots }: StringTable, text: string): number {
  const length = encodeToScratch(text);
  if (length < 0 || slots.length === 0) return -1;
  const mask = slots.length - 1;
  for (let slot = hashOf(scratch, 0, length) & mask; ; slot = (slot + 1) & mask) {
    const number = (slots[slot] ?? 0) - 1;
    if (number < 0) return -1;
    if (isScratch(bytes, starts[number] ?? 0, starts[number + 1] ?? 0, length)) return number;
  }
}

/** Throws a RangeError for a number without a text. */
export function stringAt({ bytes, starts }: StringTable, number: number): string {
  const [from, to] = [starts[number], starts[number + 1]];
  if (from === undefined || to === undefined) throw new RangeError(`the table has no text ${number}`);
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("utf8");
}

function hashAll(bytes: Uint8Array, starts: Uint32Array): Uint32Array {
  const count = starts.length - 1;
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(1, count) * 2)));
  const mask = slots.length - 1;
  for (let number = 0; number < count; number += 1) {
    let slot = hashOf(bytes, starts[number] ?? 0, starts[number + 1] ?? 0) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = number + 1;
  }
  return slots;
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let place = from; place < to; place += 1) hash = Math.imul(hash ^ (bytes[place] ?? 0), 0x01000193);
  // The low bits choose the slot, so the high ones are mixed into them.
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The number of bytes; −1 when there are too many. */
function encodeToScratch(text: string): number {
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code >= 0x80 || place >= MAX_FOUND_BYTES) return encodeAnyToScratch(text);
    scratch[place] = code;
  }
  return text.length;
}

function encodeAnyToScratch(text: string): number {
  const { read, written } = encoder.encodeInto(text, scratch);
  return read === text.length ? written : -1;
}

function isScratch(bytes: Uint8Array, from: number, to: number, length: number): boolean {
  if (to - from !== length) return false;
  for (let place = 0; place < length; place += 1) if (bytes[from + place] !== scratch[place]) return false;
  return true;
}
