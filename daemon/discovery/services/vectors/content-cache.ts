import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";

/** The key of a cached value: 128 bits of a SHA-256 of its source, in hex. */
export type ContentKey = string;

export function contentKey(parts: readonly string[]): ContentKey {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest();
  return hash.toString("hex", 0, KEY_BYTES);
}

/**
 * Values by the hash of what they were made of, in one file that is only added to:
 *
 *   record = length of the value (4 bytes) · CRC-32 of key and value (4) · key (16) · value      little-endian
 *
 * A cache: losing it costs calls and nothing else, so that it is not flushed, and a record that a crash tore, or whose
 * checksum is wrong, ends the file. Above its limit the half that was not used lately is let go of.
 */
export interface ContentCache {
  find(key: ContentKey): Promise<Uint8Array | undefined>;
  /** Resolves when they were written, or could not be, which is not an error. */
  put(records: readonly ContentRecord[]): Promise<void>;
  /** Resolves when all writing is done; the cache cannot be used after this. */
  close(): Promise<void>;
}

export interface ContentRecord {
  readonly key: ContentKey;
  readonly value: Uint8Array;
}

export interface ContentCacheParts {
  readonly path: string;
  readonly maxBytes: number;
}

const KEY_BYTES = 16;
const HEAD_BYTES = 8 + KEY_BYTES;
/** The maximum size of a value: a record that claims more is invalid. */
const MAX_VALUE_BYTES = 1_048_576;
const READ_BYTES = 1_048_576;
/** The share of the limit that is kept when the cache is trimmed. */
const KEPT_SHARE = 0.5;

interface ByteRange {
  readonly at: number;
  readonly length: number;
}

/** Creates folder and file when they do not exist. Rejects when they cannot be created or read. */
export async function openContentCache({ path, maxBytes }: ContentCacheParts): Promise<ContentCache> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rm(`${path}.new`, { force: true });
  let file = await openOrMake(path);
  // In the order of their last use, the latest at the end.
  const places = new Map<ContentKey, ByteRange>();
  let end = await readPlaces(file, places);
  let working: Promise<unknown> = Promise.resolve();

  /** One at a time: a read must not overlap with the replacement of the file. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = working.then(work);
    working = result.catch(() => {});
    return result;
  }

  async function append(records: readonly ContentRecord[]): Promise<void> {
    const fresh = records.filter(({ key, value }) => !places.has(key) && value.length <= MAX_VALUE_BYTES);
    if (fresh.length === 0) return;
    const bytes = Buffer.concat(fresh.map(encodeRecord));
    if (end + bytes.length > maxBytes) await forgetUnused();
    if (end + bytes.length > maxBytes) return;
    await file.write(bytes, 0, bytes.length, end);
    for (const { key, value } of fresh) {
      places.set(key, { at: end + HEAD_BYTES, length: value.length });
      end += HEAD_BYTES + value.length;
    }
  }

  /** Mostly from the system's cache, which is faster than a request to another thread. */
  function read({ at, length }: ByteRange): Buffer {
    const bytes = Buffer.alloc(length);
    readSync(file.fd, bytes, 0, length, at);
    return bytes;
  }

  /** Writes the recently used records to a new file, which replaces this one. */
  async function forgetUnused(): Promise<void> {
    const kept: [ContentKey, ByteRange][] = [];
    let bytes = 0;
    for (const [key, place] of [...places].reverse()) {
      bytes += HEAD_BYTES + place.length;
      if (bytes > maxBytes * KEPT_SHARE) break;
      kept.unshift([key, place]);
    }
    const smaller = await open(`${path}.new`, "w+", 0o600);
    const moved = new Map<ContentKey, ByteRange>();
    let at = 0;
    try {
      for (const [key, place] of kept) {
        const record = encodeRecord({ key, value: read(place) });
        await smaller.write(record, 0, record.length, at);
        moved.set(key, { at: at + HEAD_BYTES, length: place.length });
        at += record.length;
      }
    } catch (error) {
      await smaller.close();
      throw error;
    }
    await rename(`${path}.new`, path);
    await file.close();
    [file, end] = [smaller, at];
    places.clear();
    for (const [key, place] of moved) places.set(key, place);
  }

  return {
    find: (key) =>
      inTurn(async () => {
        const place = places.get(key);
        if (place === undefined) return undefined;
        places.delete(key);
        places.set(key, place);
        return read(place);
      }).catch(() => undefined),
    // If the disk is full or missing, new values are still used, and fetched again after a restart.
    put: (records) => inTurn(() => append(records)).catch(() => {}),
    close: () => inTurn(() => file.close()),
  };
}

/** A cache that is being opened; if that fails, it is empty and stays so. */
export function lateContentCache(opening: Promise<ContentCache>, onFailed: (error: unknown) => void): ContentCache {
  const opened = opening.catch((error: unknown) => {
    onFailed(error);
    return undefined;
  });
  return {
    find: async (key) => await (await opened)?.find(key),
    put: async (records) => await (await opened)?.put(records),
    close: async () => await (await opened)?.close(),
  };
}

async function openOrMake(path: string): Promise<FileHandle> {
  return await open(path, "r+").catch(() => open(path, "w+", 0o600));
}

/** Reads a file up to its last valid record; the rest is cut off. Resolves to the end offset. */
async function readPlaces(file: FileHandle, places: Map<ContentKey, ByteRange>): Promise<number> {
  let end = 0;
  let unread = Buffer.alloc(0);
  for (let from = 0; ;) {
    const chunk = Buffer.alloc(READ_BYTES);
    const { bytesRead } = await file.read(chunk, 0, READ_BYTES, from);
    if (bytesRead === 0) break;
    from += bytesRead;
    unread = Buffer.concat([unread, chunk.subarray(0, bytesRead)]);
    const taken = takeRecords(unread, (key, offset, length) => {
      places.delete(key);
      places.set(key, { at: end + offset, length });
    });
    end += taken.bytes;
    if (taken.isBroken) break;
    unread = unread.subarray(taken.bytes);
  }
  await file.truncate(end);
  return end;
}

/** Reports the complete records at the beginning of some bytes, and their total length. */
function takeRecords(
  bytes: Buffer,
  tell: (key: ContentKey, offset: number, length: number) => void,
): { readonly bytes: number; readonly isBroken: boolean } {
  let at = 0;
  while (bytes.length - at >= HEAD_BYTES) {
    const length = bytes.readUInt32LE(at);
    if (length > MAX_VALUE_BYTES) return { bytes: at, isBroken: true };
    const next = at + HEAD_BYTES + length;
    if (next > bytes.length) break;
    if (crc32(bytes.subarray(at + 8, next)) !== bytes.readUInt32LE(at + 4)) return { bytes: at, isBroken: true };
    tell(bytes.toString("hex", at + 8, at + HEAD_BYTES), at + HEAD_BYTES, length);
    at = next;
  }
  return { bytes: at, isBroken: false };
}

function encodeRecord({ key, value }: ContentRecord): Buffer {
  const checked = Buffer.concat([Buffer.from(key, "hex"), value]);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(value.length, 0);
  head.writeUInt32LE(crc32(checked), 4);
  return Buffer.concat([head, checked]);
}
