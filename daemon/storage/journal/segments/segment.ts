import { z } from "zod";
import { join } from "node:path";
import { isNoRoom } from "../disk/ballast.ts";
import { encodeLine, lineBody } from "./line-codec.ts";
import { isOutOfDescriptors, removeIfThere, writeFully, type Files, type OpenFile } from "../../files.ts";

/**
 * `00000017-g00000042.ndjson`: the 17th segment, written by generation 42; with `.c2` before the ending after outputs were
 * taken out of it for the second time. Source: docs/storage.md, "The data folder" and "Retention".
 */
export interface SegmentName {
  readonly name: string;
  readonly number: number;
  readonly generation: number;
  /** How often outputs were taken out. */
  readonly cleanings: number;
}

const SEGMENT_NAME = /^(\d{8})-g(\d{8})(?:\.c(\d+))?\.ndjson$/;

export function segmentName(number: number, generation: number, cleanings = 0): SegmentName {
  const cleaned = cleanings === 0 ? "" : `.c${cleanings}`;
  return { name: `${digits(number)}-g${digits(generation)}${cleaned}.ndjson`, number, generation, cleanings };
}

export function parseSegmentName(name: string): SegmentName | undefined {
  const [, number, generation, cleanings = "0"] = SEGMENT_NAME.exec(name) ?? [];
  return number === undefined || generation === undefined
    ? undefined
    : { name, number: Number(number), generation: Number(generation), cleanings: Number(cleanings) };
}

/** Name of the index of a segment's file. */
export function indexName(segmentFile: string): string {
  return segmentFile.replace(/ndjson$/, "idx");
}

/** Where a journal begins or goes on: what the next line has to follow. */
export const JournalEnd = z.object({
  seq: z.int().nonnegative(),
  batch: z.int().nonnegative(),
  /** Checksum of the last line; `NO_CHECKSUM` when there is none. */
  crc: z.string(),
  /** Number of the last segment, 0 when there is none. */
  segment: z.int().nonnegative(),
  /** Bytes of the last segment that count. */
  bytes: z.int().nonnegative(),
});
export type JournalEnd = Readonly<z.infer<typeof JournalEnd>>;

/** A segment that is complete. */
export interface SegmentSpan {
  readonly segment: SegmentName;
  /** Number of valid bytes of the file. */
  readonly bytes: number;
  /** The ends of the journal before its first line and after its last one, as written. */
  readonly after: JournalEnd;
  readonly end: JournalEnd;
}

const NO_CHECKSUM = "00000000";
export const JOURNAL_START: JournalEnd = { seq: 0, batch: 0, crc: NO_CHECKSUM, segment: 0, bytes: 0 };

/**
 * First line of a segment, a batch of its own. `prev` is the checksum of the line before it, `end` the size in bytes of
 * the segment before at that time: a writer that was forced out may have added bytes since, which it never acknowledged.
 */
export const SegmentHeader = z.object({
  t: z.literal("seg"),
  v: z.literal(1),
  at: z.string(),
  gen: z.int().positive(),
  prev: z.string(),
  end: z.int().nonnegative(),
  /** Outputs were taken out: how the segment ended before, which is what the next one's header names. */
  was: z.object({ crc: z.string(), bytes: z.int().nonnegative() }).exactOptional(),
});
export type SegmentHeader = z.infer<typeof SegmentHeader>;

export interface NewSegment {
  readonly file: OpenFile;
  readonly name: SegmentName;
  readonly end: JournalEnd;
}

export interface CreateSegmentOptions {
  readonly files: Files;
  readonly folder: string;
  readonly generation: number;
  readonly after: JournalEnd;
  /** Asked before the name is flushed once more, as there was no descriptor for it; rejects when that is to be given up. */
  readonly beforeAnotherTry?: () => Promise<void>;
}

/**
 * Makes the next segment; when this resolves, file, header and name are on the disk. When it rejects for want of room or of
 * descriptors (without `beforeAnotherTry`, of others than those of the first call), there is none. Source:
 * docs/storage.md, "Commit".
 */
export async function createSegment(options: CreateSegmentOptions): Promise<NewSegment> {
  const { files, folder, generation, after } = options;
  const name = segmentName(after.segment + 1, generation);
  const header: SegmentHeader = {
    t: "seg",
    v: 1,
    at: new Date().toISOString(),
    gen: generation,
    prev: after.crc,
    end: after.bytes,
  };
  const body = lineBody(header);
  const buffer = Buffer.allocUnsafe(body.bytes);
  const place = { seq: after.seq + 1, batch: after.batch + 1, endsBatch: true };
  const { end: bytes, crc } = encodeLine(buffer, 0, body, place);
  const file = await files.create(join(folder, name.name));
  try {
    await writeFully(file, buffer.subarray(0, bytes), 0);
    await file.sync();
    await syncName(options);
  } catch (error) {
    await file.close();
    // The journal goes on in the segment before; a name without content must not stand in the way of the next try.
    if (isNoRoom(error)) await removeSegment(files, folder, name);
    throw error;
  }
  return { file, name, end: { seq: place.seq, batch: place.batch, crc, segment: name.number, bytes } };
}

/**
 * The header stands by now and says where the segment before ends: that one must not be gone on with, as after a crash what
 * was added would not count. So a descriptor is waited for.
 */
async function syncName({ files, folder, beforeAnotherTry }: CreateSegmentOptions): Promise<void> {
  for (;;) {
    try {
      return await files.syncDirectory(folder);
    } catch (error) {
      if (!isOutOfDescriptors(error) || beforeAnotherTry === undefined) throw error;
      await beforeAnotherTry();
    }
  }
}

async function removeSegment(files: Files, folder: string, { name }: SegmentName): Promise<void> {
  await removeIfThere(files, join(folder, name));
  await files.syncDirectory(folder);
}

function digits(value: number): string {
  return String(value).padStart(8, "0");
}
