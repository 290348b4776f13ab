import type { TextRange } from "./needle-finder.ts";

/**
 * The bytes of a run of base64 or base64url, each as a unit, and how many; a rest that makes no byte is left out. `into` has
 * room for as many as there are characters. By hand, since a text may hold a million short runs, and a string and a buffer
 * for each take twenty times as long.
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
