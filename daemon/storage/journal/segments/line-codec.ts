import { CHECK_BYTES, checksum, decodeChecked } from "./checked-text.ts";

/*
 * One line of the journal is one JSON object, readable with `jq`:
 *
 *   {"s":1201,"b":388,"e":1,"a":1190,"t":"run.done",…,"c":"9f3a01bc"}
 *
 *   s  number of the line, +1 each, never reused      b  number of its batch      e  1 on the last line of a batch
 *   a  on the line that ends a run: number of the line that accepted it, when that is another one
 *   c  always last: CRC-32 of the bytes before `,"c":"`, as eight hexadecimal digits
 *
 * Source: docs/storage.md, "A line".
 */

const RESERVED = ["s", "b", "e", "a", "c"];
const NEWLINE = 0x0a;

/** Content of a line, as text; its position in the journal is not known yet. */
export interface LineBody {
  readonly json: string;
  /** Upper limit of the size of the line in the file, whichever text is written. */
  readonly bytes: number;
  /** Of a text that refers to another line: the one segment that it may be written into, and what goes into any other. */
  readonly onlyIn?: { readonly segment: number; readonly bytes: number; readonly otherwise: () => string };
}

export interface LinePlace {
  readonly seq: number;
  readonly batch: number;
  readonly endsBatch: boolean;
  /** Number of the line that accepted the run which this line ends. */
  readonly accepted?: number;
}

export interface DecodedLine extends LinePlace {
  readonly crc: string;
  /** The content without s, b, e, a and c; its shape is not checked here. */
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Throws a TypeError if the content is not an object with members, or if a member has a name reserved by the journal.
 */
export function lineBody(content: object): LineBody {
  const reserved = RESERVED.find((name) => Object.hasOwn(content, name));
  if (reserved !== undefined) throw new TypeError(`"${reserved}" is the journal's own, a line cannot have it`);
  const json = JSON.stringify(content);
  if (!json.startsWith('{"')) throw new TypeError("a line is an object with members");
  const most = Number.MAX_SAFE_INTEGER;
  const placeBytes = `"s":${most},"b":${most},"e":1,"a":${most},`.length;
  return { json, bytes: Buffer.byteLength(json) + placeBytes + CHECK_BYTES + 1 };
}

/** Writes the line with its newline at `offset`; returns the offset after it and the checksum. */
export function encodeLine(
  into: Buffer,
  offset: number,
  { json }: Pick<LineBody, "json">,
  place: LinePlace,
): { end: number; crc: string } {
  const accepted = place.accepted === undefined ? "" : `"a":${place.accepted},`;
  const head = `{"s":${place.seq},"b":${place.batch},${place.endsBatch ? '"e":1,' : ""}${accepted}`;
  let end = offset + into.write(head, offset, "latin1");
  // Without the first and the last brace.
  end += into.write(json.slice(1, -1), end, "utf8");
  const crc = checksum(into.subarray(offset, end));
  end += into.write(`,"c":"${crc}"}\n`, end, "latin1");
  return { end, crc };
}

/** `bytes` is one line without its newline. Returns a string that says what is wrong if the line is not valid. */
export function decodeLine(bytes: Buffer): DecodedLine | string {
  const checked = decodeChecked(bytes);
  if (typeof checked === "string") return checked;
  const { s, b, e, a, c: _checked, ...content } = checked.value;
  if (!isCount(s) || !isCount(b)) return "the line has no number";
  const place = { seq: s, batch: b, endsBatch: e === 1, crc: checked.crc, content };
  return isCount(a) ? { ...place, accepted: a } : place;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

export interface RawLine {
  readonly offset: number;
  /** Without the newline. */
  readonly bytes: Buffer;
  /** False when the newline is missing. */
  readonly isWhole: boolean;
}

/** The lines of a file with their offsets; the last one is marked when its newline is missing. */
export function* splitLines(bytes: Buffer, from = 0): Generator<RawLine> {
  let offset = from;
  while (offset < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, offset);
    const end = newline === -1 ? bytes.length : newline;
    yield { offset, bytes: bytes.subarray(offset, end), isWhole: newline !== -1 };
    offset = end + 1;
  }
}

const LINE_BEGIN = Buffer.from('{"s":');

/** Every valid line that begins at `from` or later, even if damage destroyed the newline before it. */
export function* validLinesFrom(bytes: Buffer, from: number): Generator<DecodedLine> {
  let begin = bytes.indexOf(LINE_BEGIN, from);
  while (begin !== -1) {
    const newline = bytes.indexOf(NEWLINE, begin);
    const end = newline === -1 ? bytes.length : newline;
    const line = decodeLine(bytes.subarray(begin, end));
    if (typeof line === "object") yield line;
    begin = bytes.indexOf(LINE_BEGIN, typeof line === "object" ? end : begin + 1);
  }
}
