import { crc32 } from "node:zlib";

/*
 * A piece of text with a checksum: one JSON object whose last member is `c`, the CRC-32 of the bytes before
 * `,"c":"` as eight hexadecimal digits. Lines of the journal, blocks of index files and snapshots are such pieces, so that
 * all of them can be read with `jq`. Source: docs/storage.md, "A line".
 */

/** Bytes of the checksum member, including the closing brace. */
export const CHECK_BYTES = `,"c":"00000000"}`.length;

/** The piece as one line. `content` is not empty and has no member `c`. */
export function encodeChecked(content: object): Buffer {
  const body = Buffer.from(JSON.stringify(content).slice(0, -1));
  return Buffer.concat([body, Buffer.from(`,"c":"${checksum(body)}"}\n`)]);
}

/** `bytes` is one piece without its newline. Returns the value with its `c`, or a string that says what is wrong. */
export function decodeChecked(
  bytes: Buffer,
): { readonly value: Readonly<Record<string, unknown>>; readonly crc: string } | string {
  const bodyEnd = bytes.length - CHECK_BYTES;
  if (bodyEnd <= 0) return "the line is too short";
  const crc = checksum(bytes.subarray(0, bodyEnd));
  if (bytes.toString("latin1", bodyEnd) !== `,"c":"${crc}"}`) return "the checksum does not fit the line";
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return "the line is not JSON";
  }
  if (typeof value !== "object" || value === null) return "the line is not an object";
  return { value: value as Record<string, unknown>, crc };
}

export function checksum(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}
