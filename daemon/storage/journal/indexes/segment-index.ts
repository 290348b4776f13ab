import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { writeDurably } from "../../durable-file.ts";
import { systemErrorCode } from "../../../../shared/system-error-code.ts";
import { readFully, type Files } from "../../files.ts";
import { LineIndex } from "../../line-index.ts";
import { JournalCorrupt } from "../../storage-errors.ts";
import { decodeIndexHeader, encodeIndex, INDEX_HEADER_BYTES, type IndexHeader, type LinePlace } from "./index-file.ts";
import { knownLine } from "../segments/line-shape.ts";
import { readSegment, type FoundLine } from "../segments/recovery.ts";
import {
  indexName,
  type JournalEnd,
  parseSegmentName,
  type SegmentName,
  type SegmentSpan,
} from "../segments/segment.ts";

/** Puts a line that was read back into an index. Throws when this version of mkt does not know it. */
export function addFoundLine(index: LineIndex<LinePlace>, { content, seq, accepted, file, offset, length }: FoundLine) {
  index.add(knownLine(content), { seq, accepted }, { file, offset, length });
}

/** The content of the index of a sealed segment, from the segment alone. Rejects with `JournalCorrupt`. */
export async function buildIndex(files: Files, folder: string, span: SegmentSpan): Promise<Buffer> {
  const index = new LineIndex<LinePlace>();
  await readSegment(files, folder, span, (line) => addFoundLine(index, line));
  return encodeIndex(span, index);
}

/** Makes the content of an index, as `buildIndex` does, perhaps elsewhere. */
export type MakeIndex = (span: SegmentSpan) => Promise<Buffer>;

/** When this resolves the index is on the disk. */
export async function writeIndex(files: Files, folder: string, bytes: Buffer): Promise<IndexHeader> {
  const header = decodeIndexHeader(bytes);
  if (header === undefined) throw new Error("an index was encoded that cannot be decoded");
  await writeDurably(files, folder, indexName(header.file), bytes);
  return header;
}

/** What the index of a segment says of it; undefined when there is none or it is damaged. */
export async function findIndexHeader(
  files: Files,
  folder: string,
  segment: SegmentName,
): Promise<IndexHeader | undefined> {
  try {
    const file = await files.openForReading(join(folder, indexName(segment.name)));
    try {
      const header = decodeIndexHeader(await readFully(file, 0, INDEX_HEADER_BYTES));
      return header?.file === segment.name ? header : undefined;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The segment that an index is of. */
export function spanOf({ file, bytes, after, end }: IndexHeader): SegmentSpan {
  const segment = parseSegmentName(file);
  if (segment === undefined) throw new Error(`${file} is not the name of a segment`);
  return { segment, bytes, after, end };
}

/**
 * The index of a sealed segment at start: the one that is there, when it fits what stands before and after the segment, or
 * a new one. Rejects with `JournalCorrupt` when the segment is shorter than it was.
 */
export async function ensureIndex(
  files: Files,
  folder: string,
  known: IndexHeader | undefined,
  expected: Omit<SegmentSpan, "bytes">,
  make: MakeIndex = (span) => buildIndex(files, folder, span),
): Promise<IndexHeader> {
  const path = join(folder, expected.segment.name);
  const { size } = await files.stat(path);
  const fits = known !== undefined && isSameEnd(known.after, expected.after) && isSameEnd(known.end, expected.end);
  // A segment that outputs were taken out of has another size than it had, and all of its file counts.
  const bytes = fits ? known.bytes : expected.segment.cleanings === 0 ? expected.end.bytes : size;
  if (size < bytes) throw new JournalCorrupt(path, size, `it had ${bytes} bytes when it was sealed`);
  if (fits) return known;
  return writeIndex(files, folder, await make({ ...expected, bytes }));
}

export function isSameEnd(one: JournalEnd, other: JournalEnd): boolean {
  return isDeepStrictEqual({ ...one }, { ...other });
}
