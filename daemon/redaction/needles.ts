import { readEscapes } from "./readings.ts";
import { unitsOf } from "./units.ts";

/** What is shorter is no spelling of a secret, see MIN_SECRET_CHARACTERS. */
export interface NeedleOptions {
  readonly minLength: number;
}

/**
 * What a secret looks like where it was encoded as bytes: UTF-16 and other misread bytes, hexadecimal, base64 wherever it
 * begins in a longer one. Escapes are not spelled out here but read (`readings.ts`); the usual ones are, since an escape
 * may begin in the text before them.
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
    // ASCII is found in either case anyway.
    secret.toLowerCase(),
    secret.toUpperCase(),
    // A form's blanks, where the rest is read as URLs are.
    wellFormed.replaceAll(" ", "+"),
    percent,
    formEncoded,
    json,
    // Bytes that were taken for another encoding's.
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

/** A secret may itself hold what looks like an escape, and is read so with the text that it stands in. */
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

/** Without the zero bytes at its ends, which the text around it may have or not, and a character that was cut. */
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
 * Base64 of a text depends on where the secret begins in it (`Basic base64(name:secret)`), so it is spelled for each of
 * the three beginnings, without the characters that its neighbours share.
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
