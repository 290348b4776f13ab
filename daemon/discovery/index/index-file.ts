import { createHash } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { openShard, type Shard } from "./shard/shard.ts";

/**
 * A whole index as a file, so that the next start need not make it again: a head, then the shard's bytes as they lie in
 * memory. A cache: losing it loses nothing, and whatever is wrong with it counts as its absence. There is one such file; a
 * newer one takes its place.
 *
 *   8 bytes    what kind of file it is, and the form of all that follows
 *   64 bytes   the stamp: SHA-256 (hex) of what else than the documents the index was made with
 *   8 bytes    length of the shard
 *   4 bytes    CRC-32 of the shard
 *   4 bytes    CRC-32 of the 80 bytes before
 */
export interface IndexFile {
  /** Undefined when there is no usable file. */
  load(): Promise<Shard | undefined>;
  /** Writes in the background; an error loses only the file. */
  save(shard: Shard): void;
  /** Resolves when all writing is done. */
  close(): Promise<void>;
}

const KIND = "mktidx01";
const STAMP_BYTES = 64;
const HEAD_BYTES = KIND.length + STAMP_BYTES + 8 + 4 + 4;
/** The amount that is processed in a millisecond or two. */
const PORTION_BYTES = 2 * 1024 * 1024;

export interface IndexFileParts {
  readonly path: string;
  /** What the index depends on besides the documents, such as the build of the program. */
  readonly stamp: () => readonly string[];
}

export function openIndexFile({ path, stamp }: IndexFileParts): IndexFile {
  const stampNow = () => createHash("sha256").update(JSON.stringify(stamp())).digest("hex");
  let writing: Promise<void> = Promise.resolve();
  return {
    load: async () => await load(path, stampNow()).catch(() => undefined),
    save(shard) {
      writing = writing.then(async () => await save(path, stampNow(), shard)).catch(() => {});
    },
    close: () => writing,
  };
}

async function load(path: string, stamp: string): Promise<Shard | undefined> {
  const file = await open(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    await file.read(head, 0, HEAD_BYTES, 0);
    const length = head.readUIntLE(KIND.length + STAMP_BYTES, 6);
    const { size } = await file.stat();
    if (size !== HEAD_BYTES + length) return undefined;
    const buffer = new SharedArrayBuffer(length);
    const bytes = new Uint8Array(buffer);
    let sum = 0;
    for (let place = 0; place < length; place += PORTION_BYTES) {
      const portion = bytes.subarray(place, place + PORTION_BYTES);
      const { bytesRead } = await file.read(portion, 0, portion.length, HEAD_BYTES + place);
      if (bytesRead !== portion.length) return undefined;
      sum = crc32(portion, sum);
    }
    return head.equals(headOf(stamp, length, sum)) ? openShard(buffer) : undefined;
  } finally {
    await file.close();
  }
}

async function save(path: string, stamp: string, shard: Shard): Promise<void> {
  const draft = `${path}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await write(draft, stamp, shard);
    await rename(draft, path);
  } catch (error) {
    // Mainly for a full disk.
    await rm(draft, { force: true });
    throw error;
  }
}

async function write(path: string, stamp: string, { buffer }: Shard): Promise<void> {
  const bytes = new Uint8Array(buffer);
  const file = await open(path, "w", 0o600);
  try {
    let sum = 0;
    for (let place = 0; place < bytes.length; place += PORTION_BYTES) {
      const portion = bytes.subarray(place, place + PORTION_BYTES);
      sum = crc32(portion, sum);
      await writeWhole(file, portion, HEAD_BYTES + place);
      await nextTurn();
    }
    await writeWhole(file, headOf(stamp, bytes.length, sum), 0);
  } finally {
    await file.close();
  }
}

async function writeWhole(file: Awaited<ReturnType<typeof open>>, bytes: Uint8Array, position: number): Promise<void> {
  const { bytesWritten } = await file.write(bytes, 0, bytes.length, position);
  if (bytesWritten !== bytes.length) throw new Error("the file could not be written whole");
}

function headOf(stamp: string, length: number, sum: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(KIND, 0, "latin1");
  head.write(stamp, KIND.length, "latin1");
  head.writeUIntLE(length, KIND.length + STAMP_BYTES, 6);
  head.writeUInt32LE(sum, HEAD_BYTES - 8);
  head.writeUInt32LE(crc32(head.subarray(0, HEAD_BYTES - 4)), HEAD_BYTES - 4);
  return head;
}
