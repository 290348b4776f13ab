import type { NeedleFinder, TextRange } from "./needle-finder.ts";
import { type Places, readEscapes, readFolds, type Reading } from "./readings.ts";
import { decodeBase64 } from "./decode-base64.ts";
import { createRooms, type Units, unitsOf } from "./units.ts";

/** A reading of the text itself, or of the result of another reading. */
interface View {
  readonly reading: Reading;
  readonly of?: View;
}

/** The maximum nesting: JSON in a URL in JSON. */
const escapes: View = { reading: readEscapes };
const twice: View = { reading: readEscapes, of: escapes };
const COMMON_VIEWS: readonly View[] = [escapes, twice, { reading: readFolds }];
const VIEWS: readonly View[] = [
  ...COMMON_VIEWS,
  { reading: readEscapes, of: twice },
  { reading: readFolds, of: escapes },
];

/**
 * Longer texts are only read in the common ways, and long base64 only as bytes: each view of 10 MB takes 20 to 50 ms.
 */
const MAX_UNITS_FOR_ALL_VIEWS = 262_144;

/** Shorter base64 contains no secret that its encoded needles would not find. */
const MIN_BASE64_CHARACTERS = 16;

const MAX_SHORT_BASE64 = 4_096;

/** Base64 in base64, but no deeper. */
const MAX_BASE64_DEPTH = 2;

const rooms = createRooms();
const NOWHERE: readonly TextRange[] = [];

/**
 * The ranges where the text contains a secret: literally, escaped, as bytes, or these in base64. In order, without
 * adjacent ranges.
 */
export function findSecrets(text: string, finder: NeedleFinder): readonly TextRange[] {
  if (text.length < finder.minLength) return NOWHERE;
  return joined(rangesOf(unitsOf(text, rooms.take(0, text.length)), finder, 0));
}

function rangesOf(text: Units, finder: NeedleFinder, depth: number): TextRange[] {
  const ranges = finder.rangesIn(text.units, text.length);
  const { hasEscapes, hasLines, base64 } = survey(text);
  const isLong = text.length > MAX_UNITS_FOR_ALL_VIEWS;
  if ((hasEscapes || hasLines) && !(isLong && depth > 0)) {
    addAll(ranges, inViews(text, finder, isLong ? COMMON_VIEWS : VIEWS));
  }
  if (depth >= MAX_BASE64_DEPTH) return ranges;
  for (const range of base64) addAll(ranges, inBase64(text, range, finder, depth + 1));
  return ranges;
}

/** Preceding letters may belong to it or not: short runs are tried from each of the four possible offsets. */
function inBase64(text: Units, { start, end }: TextRange, finder: NeedleFinder, depth: number): TextRange[] {
  const ranges: TextRange[] = [];
  const isShort = end - start <= MAX_SHORT_BASE64;
  for (let from = start; from < (isShort ? start + 4 : start + 1); from++) {
    const room = rooms.take(VIEWS.length + depth, end - from);
    const bytes = { units: room, length: decodeBase64(text.units, { start: from, end }, room) };
    // Three bytes are four characters.
    for (const range of rangesOf(bytes, finder, depth)) {
      const to = Math.min(end, from + Math.ceil(range.end / 3) * 4);
      ranges.push({ start: from + Math.floor(range.start / 3) * 4, end: to });
    }
    const isLong = bytes.length > MAX_UNITS_FOR_ALL_VIEWS;
    if (!finder.isAscii && !isLong && holdsInUtf8(bytes, finder, depth)) ranges.push({ start, end });
  }
  return ranges;
}

/** As text, where bytes are not enough because one of its characters has more than one byte. */
function holdsInUtf8({ units, length }: Units, finder: NeedleFinder, depth: number): boolean {
  const bytes = Buffer.from(units.subarray(0, length));
  if (depth > 1 || bytes.every((byte) => byte < 128)) return false;
  const text = bytes.toString();
  return rangesOf(unitsOf(text, new Uint16Array(text.length)), finder, depth).length > 0;
}

/** Not `push(...more)`: a text may contain a secret more often than a call takes arguments. */
function addAll(ranges: TextRange[], more: readonly TextRange[]): void {
  for (const range of more) ranges.push(range);
}

function inViews(text: Units, finder: NeedleFinder, views: readonly View[]): TextRange[] {
  const ranges: TextRange[] = [];
  const read = new Map<View | undefined, Units>([[undefined, text]]);
  for (const [index, view] of views.entries()) {
    const before = read.get(view.of);
    if (before === undefined) continue;
    const into = rooms.take(1 + index, before.length);
    const length = view.reading(before, into);
    if (length === undefined) continue;
    read.set(view, { units: into, length });
    const found = finder.rangesIn(into, length);
    if (found.length > 0) addAll(ranges, placesOf(found, view, text));
  }
  return ranges;
}

/** Maps ranges in readings back to the original text. An escape is included as a whole. */
function placesOf(ranges: readonly TextRange[], last: View, text: Units): TextRange[] {
  const path: Reading[] = [];
  for (let view: View | undefined = last; view !== undefined; view = view.of) path.unshift(view.reading);
  const taken: Places[] = [];
  let read = text;
  for (const reading of path) {
    const places = { starts: new Int32Array(read.length), ends: new Int32Array(read.length) };
    const units = new Uint16Array(read.length);
    read = { units, length: reading(read, units, places) ?? 0 };
    taken.push(places);
  }
  return ranges.map((range) =>
    taken.reduceRight(
      ({ start, end }, { starts, ends }) => ({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0 }),
      range,
    ),
  );
}

interface Survey {
  readonly hasEscapes: boolean;
  readonly hasLines: boolean;
  readonly base64: readonly TextRange[];
}

/** Finds signs that a text could be read in other ways. */
function survey({ units, length }: Units): Survey {
  let hasEscapes = false;
  let hasLines = false;
  let base64: TextRange[] | undefined;
  let from = 0;
  for (let at = 0; at <= length; at++) {
    const kind = at < length ? KINDS[units[at] ?? 0] : 0;
    if (kind === BASE64) continue;
    if (at - from >= MIN_BASE64_CHARACTERS && !isUuid(units, from, at)) (base64 ??= []).push({ start: from, end: at });
    from = at + 1;
    if (kind === ESCAPE) hasEscapes = true;
    // A line's end, and the escape character of quoted-printable.
    else if (kind === FOLD) hasLines = true;
  }
  return { hasEscapes, hasLines, base64: base64 ?? NOWHERE };
}

const BASE64 = 1;
const ESCAPE = 2;
const FOLD = 3;
const KINDS = new Uint8Array(65_536);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
  KINDS[char.charCodeAt(0)] = BASE64;
for (const char of "%&\\") KINDS[char.charCodeAt(0)] = ESCAPE;
for (const char of "\n=") KINDS[char.charCodeAt(0)] = FOLD;

/** The most common long words that are not base64. */
function isUuid(units: Uint16Array, start: number, end: number): boolean {
  return end - start === 36 && [8, 13, 18, 23].every((at) => units[start + at] === 0x2d);
}

function joined(ranges: TextRange[]): readonly TextRange[] {
  if (ranges.length < 2) return ranges;
  const sorted = ranges.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const apart: TextRange[] = [];
  for (const range of sorted) {
    const last = apart.at(-1);
    if (last === undefined || range.start >= last.end) apart.push(range);
    else if (range.end > last.end) apart[apart.length - 1] = { start: last.start, end: range.end };
  }
  return apart;
}
