import { ImportRefused } from "../conversion/imported-provider.ts";

type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** First bytes of files that are not text, and their types. */
const FOREIGN_BEGINNINGS: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe, 0x00, 0x00], "text in UTF-32"],
  [[0x00, 0x00, 0xfe, 0xff], "text in UTF-32"],
  [[0x1f, 0x8b], "gzip data; unpack it first"],
  [[0x50, 0x4b, 0x03, 0x04], "a zip archive; unpack it first"],
  [[0x25, 0x50, 0x44, 0x46], "a PDF; the address of the raw JSON or YAML is meant"],
];

/**
 * Decodes bytes to text: UTF-8, or UTF-16 of either byte order, with or without a byte-order mark. Throws
 * ImportRefused.
 */
export function decodeText(bytes: Uint8Array): string {
  const [, foreign] = FOREIGN_BEGINNINGS.find(([beginning]) => beginsWith(bytes, beginning)) ?? [];
  if (foreign !== undefined) throw refusedEncoding(`This is ${foreign}`);
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw refusedEncoding(`This is not ${encoding.toUpperCase()} text, which it begins as`);
  }
}

function encodingOf(bytes: Uint8Array): Encoding {
  if (beginsWith(bytes, [0xff, 0xfe])) return "utf-16le";
  if (beginsWith(bytes, [0xfe, 0xff])) return "utf-16be";
  // Every description begins with an ASCII character, which has one zero byte in UTF-16.
  const [first, second] = bytes;
  if (first !== undefined && second !== undefined && first !== second) {
    if (second === 0) return "utf-16le";
    if (first === 0) return "utf-16be";
  }
  return "utf-8";
}

function beginsWith(bytes: Uint8Array, beginning: readonly number[]): boolean {
  return beginning.every((byte, index) => bytes[index] === byte);
}

function refusedEncoding(what: string): ImportRefused {
  return new ImportRefused("encoding", `${what}. Descriptions are read as UTF-8 or UTF-16; save it as UTF-8.`);
}
