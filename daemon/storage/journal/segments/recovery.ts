import { join } from "node:path";
import { errorText } from "../../../../shared/error-text.ts";
import { readFully, removeIfThere, type Files } from "../../files.ts";
import { JournalCorrupt } from "../../storage-errors.ts";
import { decodeLine, splitLines, validLinesFrom, type DecodedLine, type RawLine } from "./line-codec.ts";
import { readRawLines } from "./segment-lines.ts";
import {
  indexName,
  JOURNAL_START,
  parseSegmentName,
  SegmentHeader,
  type JournalEnd,
  type SegmentName,
  type SegmentSpan,
} from "./segment.ts";

/*
 * Recovery by replay: every line of every segment after a known place, oldest first. docs/storage.md, "Recovery".
 *
 *   found                                                      done
 *   bad line, nothing of a later batch after it, last segment  the batch was never acknowledged: cut before the line
 *   last segment without a valid header, nothing valid after   the segment was never used: removed
 *   anything else that does not follow                         JournalCorrupt, nothing is changed
 *
 * A torn batch may leave whole lines at its beginning; they stay. Changes come after everything was read, and each
 * leaves a journal that recovers to the same end, so recovery may be killed anywhere and be repeated.
 */

export interface Recovered {
  readonly end: JournalEnd;
  /** All segments that stay, oldest first. */
  readonly segments: readonly SegmentName[];
  /** Bytes of an unacknowledged batch that were cut off; 0 after a clean end. */
  readonly cutBytes: number;
}

/** A line that follows the one before it; headers of segments are not among them. */
export interface FoundLine {
  readonly content: DecodedLine["content"];
  readonly seq: number;
  /** Number of the line that accepted the run which it ends; else its own. */
  readonly accepted: number;
  readonly segment: number;
  readonly file: string;
  /** Bytes. */
  readonly offset: number;
  readonly length: number;
}

/** Receives the lines of a journal. An error that it throws at a line is reported as damage of that line. */
export interface JournalReader {
  readonly onLine: (line: FoundLine) => void;
  /** Called after all lines of a segment. */
  readonly onSegment?: (span: SegmentSpan, isLast: boolean) => Promise<void>;
  /** Where to start, the end of a segment; absent: at the beginning. */
  readonly after?: JournalEnd;
}

/** What a journal holds and how it ends; nothing on the disk was changed. */
export interface ReadJournal extends Recovered {
  /** Bytes after the end in the last segment, blanks included. */
  readonly surplusBytes: number;
  /** A last segment without a header: it was never used. */
  readonly unused?: SegmentName;
  /** Files of segments that others have replaced, and their indexes. */
  readonly replaced: readonly string[];
}

const MAX_HEADER_BYTES = 1_024;
const BLANK = 0x20;

interface Segment extends SegmentName {
  readonly path: string;
}

/** Reads the journal, gives every line to the reader and puts the end in order. */
export async function recoverJournal(files: Files, folder: string, reader: JournalReader): Promise<Recovered> {
  const { unused, replaced, surplusBytes, ...recovered } = await readJournal(files, folder, reader);
  const last = recovered.segments.at(-1);
  if (surplusBytes > 0 && last !== undefined) await cut(files, join(folder, last.name), recovered.end.bytes);
  const superfluous = [...replaced, ...(unused === undefined ? [] : [unused.name])];
  for (const name of superfluous) await removeIfThere(files, join(folder, name));
  if (superfluous.length > 0) await files.syncDirectory(folder);
  return recovered;
}

/** Reads the journal and checks how each line follows the one before; changes nothing. Rejects with `JournalCorrupt`. */
export async function readJournal(files: Files, folder: string, reader: JournalReader): Promise<ReadJournal> {
  const { segments: all, replaced } = await listSegments(files, folder);
  const unused = await findUnusedSegment(files, all.at(-1));
  const segments = unused === undefined ? all : all.slice(0, -1);
  const after = reader.after ?? JOURNAL_START;
  const replay = new Replay(files, reader, after);

  for (const [index, segment] of segments.entries()) {
    if (segment.number <= after.segment) continue;
    const next = segments[index + 1];
    if (next === undefined) await replay.readLast(segment);
    else await replay.readFull(segment, await getHeader(files, next));
  }
  if (unused !== undefined) replay.checkNothingAcknowledged(unused.path, unused.bytes, 0, 0);
  const { end, cutBytes, surplusBytes } = replay;
  const read = { end, segments, cutBytes, surplusBytes, replaced };
  return unused === undefined ? read : { ...read, unused };
}

/** Reads one segment that others follow, or that a snapshot ends with, and checks it as `readJournal` does. */
export async function readSegment(
  files: Files,
  folder: string,
  span: SegmentSpan,
  onLine: (line: FoundLine) => void,
): Promise<void> {
  const segment = { ...span.segment, path: join(folder, span.segment.name) };
  const replay = new Replay(files, { onLine }, span.after);
  await replay.readWhole(segment, span.bytes);
  const { seq, crc } = replay.end;
  if (seq === span.end.seq && crc === span.end.crc) return;
  throw new JournalCorrupt(segment.path, span.bytes, `it must end with line ${span.end.seq}, it ends with line ${seq}`);
}

/** Follows the lines: numbers, batches, checksums, and how one segment hands on to the next. */
class Replay {
  readonly #files: Files;
  readonly #reader: JournalReader;
  end: JournalEnd;
  cutBytes = 0;
  surplusBytes = 0;
  #isBatchOpen = false;
  /** How the segment ended before outputs were taken out of it. */
  #was: SegmentHeader["was"];

  constructor(files: Files, reader: JournalReader, after: JournalEnd) {
    this.#files = files;
    this.#reader = reader;
    this.end = after;
  }

  /** A segment with another one after it: every byte up to the size that the next one's header gives must be right. */
  async readFull(segment: Segment, next: SegmentHeader): Promise<void> {
    const { after, bytes } = { after: this.end, bytes: await this.#sizeOf(segment, next.end) };
    await this.readWhole(segment, bytes);
    await this.#endSegment(segment, after, bytes, false);
  }

  async readWhole(segment: Segment, bytes: number): Promise<void> {
    const { size } = await this.#files.stat(segment.path);
    if (size < bytes) {
      throw new JournalCorrupt(segment.path, size, `it had ${bytes} bytes when the next segment was begun`);
    }
    const bad = await this.#follow(segment, bytes);
    if (bad !== undefined) throw new JournalCorrupt(segment.path, bad.offset, bad.why);
    this.#endAsWritten();
  }

  /** The last segment: what a crash tore is at its end. */
  async readLast(segment: Segment): Promise<void> {
    const after = this.end;
    const bad = await this.#follow(segment, Infinity);
    if (bad !== undefined) {
      const rest = await readRest(this.#files, segment.path, bad.offset);
      this.checkNothingAcknowledged(segment.path, rest, 0, bad.offset);
      this.cutBytes = withoutBlanks(rest);
      this.surplusBytes = rest.length;
    }
    const { bytes } = this.end;
    this.#endAsWritten();
    await this.#endSegment(segment, after, bytes, true);
  }

  /** A later batch is written only after the one before was flushed: if there is one, acknowledged bytes were damaged. */
  checkNothingAcknowledged(path: string, bytes: Buffer, from: number, offset: number): void {
    const limit = this.#isBatchOpen ? this.end.batch : this.end.batch + 1;
    for (const { batch } of validLinesFrom(bytes, from)) {
      if (batch > limit) throw new JournalCorrupt(path, offset, `the line is bad, and batch ${batch} follows it`);
    }
  }

  /** A segment that was rewritten has another size than the next header knows; it was on the disk before it got its name. */
  async #sizeOf(segment: Segment, bytes: number): Promise<number> {
    return segment.cleanings === 0 ? bytes : (await this.#files.stat(segment.path)).size;
  }

  #endAsWritten(): void {
    if (this.#was !== undefined) this.end = { ...this.end, ...this.#was };
  }

  async #endSegment(segment: Segment, after: JournalEnd, bytes: number, isLast: boolean): Promise<void> {
    const { path: _path, ...name } = segment;
    await this.#reader.onSegment?.({ segment: name, bytes, after, end: this.end }, isLast);
  }

  /** Stops at the first line that a crash may have torn. */
  async #follow(segment: Segment, end: number): Promise<{ offset: number; why: string } | undefined> {
    const before = this.end;
    this.end = { ...before, segment: segment.number, bytes: 0 };
    for await (const lines of readRawLines(this.#files, segment.path, end)) {
      for (const raw of lines) {
        const line = raw.isWhole ? decodeLine(raw.bytes) : "the line has no end";
        if (typeof line === "string") return { offset: raw.offset, why: line };
        this.#take(segment, line, raw, before.bytes);
      }
    }
    return undefined;
  }

  #take(segment: Segment, line: DecodedLine, raw: RawLine, bytesBefore: number): void {
    const { end } = this;
    const { offset } = raw;
    const length = raw.bytes.length;
    const corrupt = (why: string) => new JournalCorrupt(segment.path, offset, why);
    if (line.seq !== end.seq + 1) throw corrupt(`line ${line.seq} follows line ${end.seq}`);
    if (line.batch !== end.batch + 1 && (line.batch !== end.batch || !this.#isBatchOpen)) {
      throw corrupt(`batch ${line.batch} follows batch ${end.batch}`);
    }
    if (offset === 0) this.#checkHeader(segment, line, bytesBefore, corrupt);
    else this.#giveLine(segment, line, { offset, length }, corrupt);
    this.#isBatchOpen = !line.endsBatch;
    this.end = { seq: line.seq, batch: line.batch, crc: line.crc, segment: segment.number, bytes: offset + length + 1 };
  }

  #checkHeader(
    segment: Segment,
    line: DecodedLine,
    bytesBefore: number,
    corrupt: (why: string) => JournalCorrupt,
  ): void {
    const header = SegmentHeader.safeParse(line.content);
    if (!header.success) throw corrupt("the segment does not begin with a header");
    const { gen, prev, end, was } = header.data;
    if (gen !== segment.generation) throw corrupt(`the header is of generation ${gen}`);
    if (prev !== this.end.crc) {
      throw corrupt(`the segment before must end with ${prev}, it ends with ${this.end.crc}`);
    }
    if (end !== bytesBefore) throw corrupt(`the segment before must have ${end} bytes, it has ${bytesBefore}`);
    this.#was = was;
  }

  #giveLine(
    segment: Segment,
    { content, seq, accepted = seq }: DecodedLine,
    place: { offset: number; length: number },
    corrupt: (why: string) => JournalCorrupt,
  ): void {
    try {
      this.#reader.onLine({ content, seq, accepted, segment: segment.number, file: segment.name, ...place });
    } catch (error) {
      throw corrupt(errorText(error));
    }
  }
}

/** Bytes up to the blanks that a growing segment ends with. */
function withoutBlanks(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === BLANK) end -= 1;
  return end;
}

/**
 * Oldest first, with no gap from 1. Of two with one number the one of the higher generation counts: the other is of a
 * writer that was forced out while it began a segment, and acknowledged nothing in it. Of one generation the one that was
 * cleaned last counts: it was whole before it got its name.
 */
export async function listSegments(
  files: Files,
  folder: string,
): Promise<{ readonly segments: readonly Segment[]; readonly replaced: readonly string[] }> {
  const found = new Map<number, Segment>();
  const replaced: string[] = [];
  for (const name of await files.list(folder)) {
    const parsed = parseSegmentName(name);
    if (parsed === undefined) continue;
    const segment = { ...parsed, path: join(folder, name) };
    const rival = found.get(parsed.number);
    const isNewer = rival === undefined || compareAge(rival, segment) < 0;
    if (isNewer) found.set(parsed.number, segment);
    const loser = isNewer ? rival : segment;
    if (loser !== undefined && loser.generation === found.get(parsed.number)?.generation) {
      replaced.push(loser.name, indexName(loser.name));
    }
  }
  const segments = [...found.values()].sort((one, other) => one.number - other.number);
  for (const [index, segment] of segments.entries()) {
    if (segment.number !== index + 1) throw new JournalCorrupt(segment.path, 0, `segment ${index + 1} is missing`);
  }
  return { segments, replaced };
}

/** Above 0 when the first of two files of one segment replaces the second. */
export function compareAge(one: SegmentName, other: SegmentName): number {
  return one.generation - other.generation || one.cleanings - other.cleanings;
}

/** The last segment, when its header never got to the disk. */
async function findUnusedSegment(
  files: Files,
  last: Segment | undefined,
): Promise<(Segment & { bytes: Buffer }) | undefined> {
  if (last === undefined || (await findHeader(files, last.path)) !== undefined) return undefined;
  return { ...last, bytes: await files.readFile(last.path) };
}

async function getHeader(files: Files, segment: Segment): Promise<SegmentHeader> {
  const header = await findHeader(files, segment.path);
  if (header === undefined) throw new JournalCorrupt(segment.path, 0, "the segment does not begin with a header");
  return header.content;
}

/** Where the journal stood when a segment was begun, as its header says; undefined without one. */
export async function endBefore(files: Files, folder: string, segment: SegmentName): Promise<JournalEnd | undefined> {
  const header = await findHeader(files, join(folder, segment.name));
  if (header === undefined) return undefined;
  const { seq, batch, content } = header;
  return { seq: seq - 1, batch: batch - 1, crc: content.prev, segment: segment.number - 1, bytes: content.end };
}

async function findHeader(
  files: Files,
  path: string,
): Promise<{ readonly seq: number; readonly batch: number; readonly content: SegmentHeader } | undefined> {
  const file = await files.openForReading(path);
  try {
    const [first] = splitLines(await readFully(file, 0, MAX_HEADER_BYTES));
    const line = first?.isWhole === true ? decodeLine(first.bytes) : undefined;
    if (typeof line !== "object") return undefined;
    const content = SegmentHeader.safeParse(line.content).data;
    return content === undefined ? undefined : { seq: line.seq, batch: line.batch, content };
  } finally {
    await file.close();
  }
}

async function readRest(files: Files, path: string, from: number): Promise<Buffer> {
  const { size } = await files.stat(path);
  const file = await files.openForReading(path);
  try {
    return await readFully(file, from, size - from);
  } finally {
    await file.close();
  }
}

async function cut(files: Files, path: string, bytes: number): Promise<void> {
  const file = await files.openForChange(path);
  try {
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
