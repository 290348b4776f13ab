import { hash } from "node:crypto";

const BITS_PER_KEY = 12;
const HASHES = 8;

/** A set that may say yes to a key that is not in it (one of three hundred), and never no to one that is. */
export function makeBloomFilter(keys: readonly string[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil((keys.length * BITS_PER_KEY) / 8));
  for (const key of keys) {
    for (const bit of bitsOf(key, bytes.length * 8)) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return bytes;
}

export function mayContain(filter: Buffer, key: string): boolean {
  if (filter.length === 0) return false;
  return bitsOf(key, filter.length * 8).every((bit) => (filter.readUInt8(bit >> 3) & (1 << (bit & 7))) !== 0);
}

function bitsOf(key: string, bits: number): number[] {
  const digest = hash("sha256", key, "buffer");
  const found: number[] = [];
  for (let index = 0; index < HASHES; index += 1) found.push(digest.readUInt32LE(index * 4) % bits);
  return found;
}
