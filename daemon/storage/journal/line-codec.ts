import { crc32 } from "node:zlib";

/*
 * One line of the journal is one JSON object, readable with `jq`:
 *
 *   {"s":1201,"b":388,"e":1,"t":"run.done",…,"c":"9f3a01bc"}
 *
 *   s  number of the line, +1 each, never reused      b  number of its batch      e  1 on the last line of a batch
 *   c  always last: CRC-32 of the bytes before `,"c":"`, as eight hexadecimal digits
 *
 * Source: storage design, 3.
 */

const RESERVED = ["s", "b", "e", "c"];
const TAIL_BYTES = `,"c":"00000000"}`.length;
const NEWLINE = 0x0a;

/** Content of a line, as text; its place in the journal is not known yet. */
export interface LineBody {
  readonly json: string;
  /** Upper limit of what the line takes in the file. */
  readonly bytes: number;
}

export interface LinePlace {
  readonly seq: number;
  readonly batch: number;
  readonly endsBatch: boolean;
}

export interface DecodedLine extends LinePlace {
  readonly crc: string;
  /** The content without s, b, e and c; its shape is not checked here. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** Throws a TypeError when the content is not an object with members, or one of them has a name of the journal's own. */
export function lineBody(content: object): LineBody {
  const reserved = RESERVED.find((name) => Object.hasOwn(content, name));
  if (reserved !== undefined) throw new TypeError(`"${reserved}" is the journal's own, a line cannot have it`);
  const json = JSON.stringify(content);
  if (!json.startsWith('{"')) throw new TypeError("a line is an object with members");
  const placeBytes = `"s":${Number.MAX_SAFE_INTEGER},"b":${Number.MAX_SAFE_INTEGER},"e":1,`.length;
  return { json, bytes: Buffer.byteLength(json) + placeBytes + TAIL_BYTES + 1 };
}

/** Writes the line with its newline at `offset`; returns the offset after it and the checksum. */
export function encodeLine(
  into: Buffer,
  offset: number,
  body: LineBody,
  place: LinePlace,
): { end: number; crc: string } {
  const head = `{"s":${place.seq},"b":${place.batch},${place.endsBatch ? '"e":1,' : ""}`;
  let end = offset + into.write(head, offset, "latin1");
  // Without the first and the last brace.
  end += into.write(body.json.slice(1, -1), end, "utf8");
  const crc = checksum(into.subarray(offset, end));
  end += into.write(`,"c":"${crc}"}\n`, end, "latin1");
  return { end, crc };
}

/** `bytes` is one line without its newline. A text says what is wrong with it. */
export function decodeLine(bytes: Buffer): DecodedLine | string {
  const bodyEnd = bytes.length - TAIL_BYTES;
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
  const { s, b, e, c: _checked, ...content } = value as Record<string, unknown>;
  if (!isCount(s) || !isCount(b)) return "the line has no number";
  return { seq: s, batch: b, endsBatch: e === 1, crc, content };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function checksum(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}

/** The lines of a file with their offsets; the last one is marked when its newline is missing. */
export function* splitLines(
  bytes: Buffer,
  from = 0,
): Generator<{ readonly offset: number; readonly bytes: Buffer; readonly isWhole: boolean }> {
  let offset = from;
  while (offset < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, offset);
    const end = newline === -1 ? bytes.length : newline;
    yield { offset, bytes: bytes.subarray(offset, end), isWhole: newline !== -1 };
    offset = end + 1;
  }
}

const LINE_BEGIN = Buffer.from('{"s":');

/** Every valid line that begins at `from` or later, also where damage took the newline before it. */
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
