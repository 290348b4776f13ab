import { characterOfName } from "./entities.ts";
import type { Units } from "./units.ts";

/** The origin of each decoded unit: the first unit of its escape, and the first after it. */
export interface Places {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Decodes a text in one way into `into`, which has as much room, and returns the number of units; undefined when there
 * was nothing to decode. Takes time proportional to the text, whatever it contains.
 */
export type Reading = (text: Units, into: Uint16Array, places?: Places) => number | undefined;

/**
 * Escapes of URLs, JSON and similar languages, HTML and XML, all at once: one encoder writes `%2b` where another writes
 * `%2B` or `+`, so no list of forms would be complete.
 */
export const readEscapes: Reading = ({ units, length }, into, places) => {
  const escape: Escape = { length: 0, point: 0 };
  let written = 0;
  let isChanged = false;
  for (let at = 0; at < length;) {
    const unit = units[at] ?? 0;
    const isEscape =
      (unit === PERCENT && percentAt(units, at, length, escape)) ||
      (unit === AMPERSAND && entityAt(units, at, length, escape)) ||
      (unit === BACKSLASH && backslashAt(units, at, length, escape));
    if (!isEscape) {
      if (places !== undefined) note(places, written, at, at + 1);
      into[written++] = unit;
      at++;
      continue;
    }
    const { point } = escape;
    const to = at + escape.length;
    note(places, written, at, to);
    if (point > 0xffff) {
      into[written++] = 0xd800 + ((point - 0x1_0000) >> 10);
      note(places, written, at, to);
    }
    into[written++] = point > 0xffff ? 0xdc00 + ((point - 0x1_0000) & 0x3ff) : point;
    isChanged = true;
    at = to;
  }
  return isChanged ? written : undefined;
};

/**
 * Lines that were broken to fit a width: base64 in a mail or a PEM file, a header, quoted-printable. The bytes of
 * quoted-printable are decoded too, each to a character (the needles include misread bytes).
 */
export const readFolds: Reading = ({ units, length }, into, places) => {
  const isQuotedPrintable = everyEqualsEscapes(units, length);
  let written = 0;
  let isChanged = false;
  for (let at = 0; at < length;) {
    const unit = units[at] ?? 0;
    const fold = unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === EQUALS ? foldAt(units, at, length) : 0;
    if (fold > 0) {
      at += fold;
      isChanged = true;
      continue;
    }
    const byte = isQuotedPrintable && unit === EQUALS ? hexAt(units, at + 1, 2, length) : -1;
    const to = at + (byte === -1 ? 1 : 3);
    note(places, written, at, to);
    into[written++] = byte === -1 ? unit : byte;
    isChanged ||= byte !== -1;
    at = to;
  }
  return isChanged ? written : undefined;
};

function note(places: Places | undefined, written: number, start: number, end: number): void {
  if (places === undefined) return;
  places.starts[written] = start;
  places.ends[written] = end;
}

/** A match: the number of units that represent a code point. One shared object, since a text may have millions. */
interface Escape {
  length: number;
  point: number;
}

function found(escape: Escape, length: number, point: number): true {
  escape.length = length;
  escape.point = point;
  return true;
}

/** One UTF-8 character, a single invalid byte, or `%u00e9` as in old JavaScript. */
function percentAt(units: Uint16Array, at: number, end: number, escape: Escape): boolean {
  const kind = units[at + 1] ?? 0;
  if ((kind | 32) === LETTER_U) {
    const unit = hexAt(units, at + 2, 4, end);
    return unit !== -1 && found(escape, 6, unit);
  }
  const first = hexAt(units, at + 1, 2, end);
  if (first === -1) return false;
  const more = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  let point = more === 0 ? first : first & (0x3f >> more);
  for (let index = 1; index <= more; index++) {
    const next = units[at + 3 * index] === PERCENT ? hexAt(units, at + 3 * index + 1, 2, end) : -1;
    if (next === -1 || (next & 0xc0) !== 0x80) return found(escape, 3, first);
    point = (point << 6) | (next & 0x3f);
  }
  return point > 0x10_ffff ? found(escape, 3, first) : found(escape, 3 * (more + 1), point);
}

/** Digits of a number or letters of a name; longer ones are not entities. */
const MAX_ENTITY_CHARACTERS = 24;

function entityAt(units: Uint16Array, at: number, end: number, escape: Escape): boolean {
  const limit = Math.min(end, at + MAX_ENTITY_CHARACTERS);
  let to = at + 1;
  if (units[to] !== NUMBER_SIGN) {
    while (to < limit && isAlphanumeric(units[to] ?? 0)) to++;
    if (to >= end || units[to] !== SEMICOLON) return false;
    const point = characterOfName(units, at + 1, to);
    return point !== undefined && found(escape, to - at + 1, point);
  }
  const base = ((units[++to] ?? 0) | 32) === LETTER_X ? 16 : 10;
  if (base === 16) to++;
  const from = to;
  let point = 0;
  for (; to < limit; to++) {
    const digit = digitOf(units[to] ?? 0);
    if (digit >= base) break;
    point = Math.min(0x11_0000, point * base + digit);
  }
  if (to === from || point > 0x10_ffff) return false;
  // Browsers accept numbers without their semicolon too.
  return found(escape, to - at + (to < end && units[to] === SEMICOLON ? 1 : 0), point);
}

function backslashAt(units: Uint16Array, at: number, end: number, escape: Escape): boolean {
  if (at + 1 >= end) return false;
  const kind = units[at + 1] ?? 0;
  if (!isAlphanumeric(kind)) return found(escape, 2, kind);
  const letter = kind | 32;
  if (letter === LETTER_U) return unicodeAt(units, at, end, escape);
  if (letter === LETTER_X) {
    const unit = hexAt(units, at + 2, 2, end);
    return unit !== -1 && found(escape, 4, unit);
  }
  const control = letter < 128 ? (CONTROLS[letter] ?? 0) : 0;
  if (control !== 0) return found(escape, 2, control);
  if (kind > DIGIT_3 || at + 4 > end) return false;
  let point = 0;
  for (let index = at + 1; index < at + 4; index++) {
    const digit = digitOf(units[index] ?? 0);
    if (digit > 7) return false;
    point = point * 8 + digit;
  }
  return found(escape, 4, point);
}

/** `\u00e9` or `\u{e9}`. */
function unicodeAt(units: Uint16Array, at: number, end: number, escape: Escape): boolean {
  const unit = hexAt(units, at + 2, 4, end);
  if (unit !== -1) return found(escape, 6, unit);
  if (units[at + 2] !== OPEN_BRACE) return false;
  let to = at + 3;
  while (to < end && to < at + 9 && digitOf(units[to] ?? 0) < 16) to++;
  const point = hexAt(units, at + 3, to - at - 3, end);
  return point !== -1 && point <= 0x10_ffff && units[to] === CLOSE_BRACE && found(escape, to - at + 1, point);
}

/** The length of `=?\r?\n[\t ]*` here; 0 when there is none. */
function foldAt(units: Uint16Array, at: number, end: number): number {
  let to = at;
  if (units[to] === EQUALS) to++;
  if (units[to] === CARRIAGE_RETURN) to++;
  if (to >= end || units[to] !== LINE_FEED) return 0;
  to++;
  while (to < end && (units[to] === TAB || units[to] === BLANK)) to++;
  return to - at;
}

/** Quoted-printable has no `=` but before the two digits of a byte or the end of a line. RFC 2045, 6.7. */
function everyEqualsEscapes(units: Uint16Array, length: number): boolean {
  let isAny = false;
  for (let at = 0; at < length; at++) {
    if (units[at] !== EQUALS) continue;
    if (hexAt(units, at + 1, 2, length) === -1 && foldAt(units, at, length) === 0) return false;
    isAny = true;
  }
  return isAny;
}

/** The value of this many hexadecimal digits; -1 when they are not all digits. */
function hexAt(units: Uint16Array, at: number, digits: number, end: number): number {
  if (digits === 0 || at + digits > end) return -1;
  let value = 0;
  for (let index = at; index < at + digits; index++) {
    const digit = digitOf(units[index] ?? 0);
    if (digit > 15) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** 0 to 15; more for a character that is not a digit. */
function digitOf(unit: number): number {
  if (unit >= 48 && unit <= 57) return unit - 48;
  const letter = unit | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : 99;
}

function isAlphanumeric(unit: number): boolean {
  const letter = unit | 32;
  return (unit >= 48 && unit <= 57) || (letter >= 97 && letter <= 122);
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const NUMBER_SIGN = 0x23;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const DIGIT_3 = 0x33;
const CONTROLS = new Uint8Array(128);
for (const [letter, control] of ["b\b", "f\f", "n\n", "r\r", "t\t"]) {
  CONTROLS[letter?.charCodeAt(0) ?? 0] = control?.charCodeAt(0) ?? 0;
}
