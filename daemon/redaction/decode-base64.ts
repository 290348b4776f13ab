import type { TextRange } from "./needle-finder.ts";

/**
 * Decodes a run of base64 or base64url into units, one for each byte, and returns their number; an incomplete last byte
 * is left out. `into` has as much room as there are characters. Written by hand, since a text may have a million short
 * runs, and a string and a buffer for each take twenty times as long.
 */
export function decodeBase64(units: Uint16Array, { start, end }: TextRange, into: Uint16Array): number {
  let written = 0;
  let bits = 0;
  let held = 0;
  for (let at = start; at < end; at++) {
    held = ((held << 6) | (VALUES[units[at] ?? 0] ?? 0)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    into[written++] = (held >> bits) & 0xff;
  }
  return written;
}

const VALUES = new Uint8Array(128);
for (const [value, char] of Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").entries())
  VALUES[char.charCodeAt(0)] = value;
VALUES["-".charCodeAt(0)] = 62;
VALUES["_".charCodeAt(0)] = 63;
