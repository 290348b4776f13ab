import { readEscapes } from "./readings.ts";
import { unitsOf } from "./units.ts";

/** A shorter text is not a form of a secret, see MIN_SECRET_CHARACTERS. */
export interface NeedleOptions {
  readonly minLength: number;
}

/**
 * The forms of a secret that was encoded as bytes: UTF-16 and other misread bytes, hexadecimal, base64 at any offset in
 * a longer text. Escapes are not listed here but decoded (`readings.ts`), except the usual ones, since an escape may
 * begin in the text before them.
 */
export function needlesOf(secret: string, { minLength }: NeedleOptions): readonly string[] {
  const wellFormed = secret.replace(/\p{Surrogate}/gu, "\ufffd");
  const percent = encodeURIComponent(wellFormed);
  const formEncoded = new URLSearchParams([["", secret]]).toString().slice(1);
  const json = JSON.stringify(secret).slice(1, -1);
  const utf8 = Buffer.from(secret);
  const utf16 = [Buffer.from(secret, "utf16le"), Buffer.from(secret, "utf16le").swap16()];
  const texts = [
    secret,
    wellFormed,
    ...readAsEscapes(secret),
    // ASCII letters are found in either case anyway.
    secret.toLowerCase(),
    secret.toUpperCase(),
    // Spaces in forms; the rest is decoded like URLs.
    wellFormed.replaceAll(" ", "+"),
    percent,
    formEncoded,
    json,
    // Bytes that were decoded with the wrong encoding.
    utf8.toString("latin1"),
    Buffer.from(secret, "latin1").toString(),
    ...utf16.flatMap((bytes) => [withoutEnds(bytes.toString()), withoutEnds(bytes.toString("latin1"))]),
  ];
  const encoded = [utf8, ...utf16, Buffer.from(formEncoded), Buffer.from(json)].flatMap((bytes) => [
    bytes.toString("hex"),
    ...base64Spellings(bytes),
  ]);
  return [...new Set([...texts, ...encoded])].filter(({ length }) => length >= minLength);
}

/** A secret may itself contain what looks like an escape, which is decoded together with the text around it. */
function readAsEscapes(secret: string): readonly string[] {
  const readings: string[] = [];
  for (let text = secret; readings.length < 3;) {
    const room = new Uint16Array(text.length);
    const length = readEscapes(unitsOf(text, new Uint16Array(text.length)), room);
    if (length === undefined) break;
    text = Buffer.from(room.buffer, 0, length * 2).toString("utf16le");
    readings.push(text);
  }
  return readings;
}

/** Without the zero bytes at its ends, which the surrounding text may lack, and without a partial character. */
function withoutEnds(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isEnd(text[start])) start++;
  while (end > start && isEnd(text[end - 1])) end--;
  return text.slice(start, end);
}

function isEnd(char: string | undefined): boolean {
  return char === "\0" || char === "\ufffd";
}

/**
 * The base64 of a text depends on the offset of the secret (`Basic base64(name:secret)`), so there is a form for each
 * of the three offsets, without the characters shared with its neighbours.
 */
function base64Spellings(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const start = [0, 2, 3][before] ?? 0;
    const isWhole = (before + bytes.length) % 3 === 0;
    const inner = encoded.slice(start, isWhole ? undefined : -1);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
