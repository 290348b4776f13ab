import { join } from "node:path";
import { readFully, type Files } from "../files.ts";
import { JournalCorrupt } from "../storage-errors.ts";
import { decodeLine, splitLines, validLinesFrom, type DecodedLine } from "./line-codec.ts";
import { JOURNAL_START, parseSegmentName, SegmentHeader, type JournalEnd, type SegmentName } from "./segment.ts";

/*
 * Recovery by replay: every line of every segment, oldest first. Storage design, 5.
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
  readonly segment: number;
  /** Bytes. */
  readonly offset: number;
  readonly length: number;
}

const MAX_HEADER_BYTES = 1_024;

interface Segment extends SegmentName {
  readonly path: string;
}

/** Reads the whole journal, gives every line to `onLine` and puts the end in order. What `onLine` throws names the damage. */
export async function recoverJournal(
  files: Files,
  folder: string,
  onLine: (line: FoundLine) => void,
): Promise<Recovered> {
  const all = await listSegments(files, folder);
  const unused = await findUnusedSegment(files, all.at(-1));
  const segments = unused === undefined ? all : all.slice(0, -1);
  const replay = new Replay(onLine);

  for (const [index, segment] of segments.entries()) {
    const bytes = await files.readFile(segment.path);
    const next = segments[index + 1];
    if (next === undefined) replay.readLast(segment, bytes);
    else replay.readFull(segment, bytes, await getHeader(files, next));
  }
  if (unused !== undefined) replay.checkNothingAcknowledged(unused.path, unused.bytes, 0);

  if (replay.cutBytes > 0) await cut(files, segments.at(-1), replay.end.bytes);
  if (unused !== undefined) {
    await files.unlink(unused.path);
    await files.syncDirectory(folder);
  }
  return { end: replay.end, segments, cutBytes: replay.cutBytes };
}

/** Follows the lines: numbers, batches, checksums, and how one segment hands on to the next. */
class Replay {
  readonly #onLine: (line: FoundLine) => void;
  end: JournalEnd = JOURNAL_START;
  cutBytes = 0;
  #isBatchOpen = false;

  constructor(onLine: (line: FoundLine) => void) {
    this.#onLine = onLine;
  }

  /** A segment with another one after it: every byte up to the size that the next one's header gives must be right. */
  readFull(segment: Segment, bytes: Buffer, next: SegmentHeader): void {
    if (bytes.length < next.end) {
      throw new JournalCorrupt(segment.path, bytes.length, `it had ${next.end} bytes when the next segment was begun`);
    }
    const bad = this.#follow(segment, bytes.subarray(0, next.end));
    if (bad !== undefined) throw new JournalCorrupt(segment.path, bad.offset, bad.why);
  }

  /** The last segment: what a crash tore is at its end. */
  readLast(segment: Segment, bytes: Buffer): void {
    const bad = this.#follow(segment, bytes);
    if (bad === undefined) return;
    this.checkNothingAcknowledged(segment.path, bytes, bad.offset);
    this.cutBytes = bytes.length - bad.offset;
  }

  /** A later batch is written only after the one before was flushed: if there is one, acknowledged bytes were damaged. */
  checkNothingAcknowledged(path: string, bytes: Buffer, from: number): void {
    const limit = this.#isBatchOpen ? this.end.batch : this.end.batch + 1;
    for (const { batch } of validLinesFrom(bytes, from)) {
      if (batch > limit) throw new JournalCorrupt(path, from, `the line is bad, and batch ${batch} follows it`);
    }
  }

  /** Stops at the first line that a crash may have torn. */
  #follow(segment: Segment, bytes: Buffer): { offset: number; why: string } | undefined {
    this.end = { ...this.end, segment: segment.number, bytes: 0 };
    for (const { offset, bytes: lineBytes, isWhole } of splitLines(bytes)) {
      const line = isWhole ? decodeLine(lineBytes) : "the line has no end";
      if (typeof line === "string") return { offset, why: line };
      this.#take(segment, line, offset, lineBytes.length);
    }
    return undefined;
  }

  #take(segment: Segment, line: DecodedLine, offset: number, length: number): void {
    const { end } = this;
    const corrupt = (why: string) => new JournalCorrupt(segment.path, offset, why);
    if (line.seq !== end.seq + 1) throw corrupt(`line ${line.seq} follows line ${end.seq}`);
    if (line.batch !== end.batch + 1 && (line.batch !== end.batch || !this.#isBatchOpen)) {
      throw corrupt(`batch ${line.batch} follows batch ${end.batch}`);
    }
    if (offset === 0) this.#checkHeader(segment, line, corrupt);
    else this.#replayLine({ content: line.content, seq: line.seq, segment: segment.number, offset, length }, corrupt);
    this.#isBatchOpen = !line.endsBatch;
    this.end = { seq: line.seq, batch: line.batch, crc: line.crc, segment: segment.number, bytes: offset + length + 1 };
  }

  #checkHeader(segment: Segment, line: DecodedLine, corrupt: (why: string) => JournalCorrupt): void {
    const header = SegmentHeader.safeParse(line.content);
    if (!header.success) throw corrupt("the segment does not begin with a header");
    if (header.data.gen !== segment.generation) throw corrupt(`the header is of generation ${header.data.gen}`);
    if (header.data.prev !== this.end.crc) {
      throw corrupt(`the segment before must end with ${header.data.prev}, it ends with ${this.end.crc}`);
    }
  }

  #replayLine(line: FoundLine, corrupt: (why: string) => JournalCorrupt): void {
    try {
      this.#onLine(line);
    } catch (error) {
      throw corrupt(error instanceof Error ? error.message : String(error));
    }
  }
}

/**
 * Oldest first, with no gap from 1. Of two with one number the one of the higher generation counts: the other is of a
 * writer that was forced out while it began a segment, and acknowledged nothing in it.
 */
async function listSegments(files: Files, folder: string): Promise<Segment[]> {
  const found = new Map<number, Segment>();
  for (const name of await files.list(folder)) {
    const parsed = parseSegmentName(name);
    if (parsed === undefined) continue;
    const rival = found.get(parsed.number);
    if (rival === undefined || rival.generation < parsed.generation) {
      found.set(parsed.number, { ...parsed, path: join(folder, name) });
    }
  }
  const segments = [...found.values()].sort((one, other) => one.number - other.number);
  for (const [index, segment] of segments.entries()) {
    if (segment.number !== index + 1) throw new JournalCorrupt(segment.path, 0, `segment ${index + 1} is missing`);
  }
  return segments;
}

/** The last segment, when its header never got to the disk. */
async function findUnusedSegment(
  files: Files,
  last: Segment | undefined,
): Promise<(Segment & { bytes: Buffer }) | undefined> {
  if (last === undefined || (await findHeader(files, last)) !== undefined) return undefined;
  return { ...last, bytes: await files.readFile(last.path) };
}

async function getHeader(files: Files, segment: Segment): Promise<SegmentHeader> {
  const header = await findHeader(files, segment);
  if (header === undefined) throw new JournalCorrupt(segment.path, 0, "the segment does not begin with a header");
  return header;
}

async function findHeader(files: Files, segment: Segment): Promise<SegmentHeader | undefined> {
  const file = await files.openForReading(segment.path);
  try {
    const [first] = splitLines(await readFully(file, 0, MAX_HEADER_BYTES));
    const line = first?.isWhole === true ? decodeLine(first.bytes) : undefined;
    return typeof line === "object" ? SegmentHeader.safeParse(line.content).data : undefined;
  } finally {
    await file.close();
  }
}

async function cut(files: Files, segment: Segment | undefined, bytes: number): Promise<void> {
  if (segment === undefined) return;
  const file = await files.openForChange(segment.path);
  try {
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
