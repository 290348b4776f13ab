import { constants, fdatasync, statSync, writeSync } from "node:fs";
import { link, mkdir, open, readdir, rename, statfs, unlink, type FileHandle } from "node:fs/promises";
import { type PathFacts, realPaths } from "../../shared/own-folder.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/** An open file. Positions and lengths are bytes. */
export interface OpenFile {
  /** Resolves to the number of bytes written, which may be fewer than given: the first sign of a full disk. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Resolves to the number of bytes read, which may be fewer than requested; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Resolves when the content, and the metadata needed to read it, are on the disk. */
  datasync(): Promise<void>;
  /** As `datasync`, with all other metadata of the file. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface FileFacts {
  readonly size: number;
  readonly isDirectory: boolean;
  /** Permission bits only. */
  readonly mode: number;
}

/**
 * The interface to the disk: exactly the calls that durable storage makes, so that tests can make each of them fail, or
 * crash the process after it. Errors are those of `node:fs`, with `code`. Opening a file through a link fails with
 * ELOOP.
 */
export interface Files {
  /** Creates a file that only its owner may read and write; EEXIST if it exists. */
  create(path: string): Promise<OpenFile>;
  /** Opens an existing file for reading and writing. */
  openForChange(path: string): Promise<OpenFile>;
  openForReading(path: string): Promise<OpenFile>;
  readFile(path: string): Promise<Buffer>;
  /** Names in a directory, sorted. */
  list(path: string): Promise<string[]>;
  stat(path: string): Promise<FileFacts>;
  /** Whether there is something of this name. The journal asks before and after each batch: an error for "no" costs more. */
  hasEntry(path: string): Promise<boolean>;
  /** The owner of the path, and whether it is a link; links are not followed. */
  lookAt(path: string): Promise<PathFacts>;
  /** The path with all links resolved. */
  realPath(path: string): Promise<string>;
  /** Creates a directory for its owner only; the parent must exist. */
  makeDirectory(path: string): Promise<void>;
  /** Gives a file a second name, atomically; EEXIST if the name is taken. */
  link(existing: string, name: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Resolves when the names in the directory are on the disk. */
  syncDirectory(path: string): Promise<void>;
  /** Free bytes on the disk of a directory; a quota may allow fewer. */
  freeBytes(path: string): Promise<number>;
}

/** Writing up to this many bytes into the system's cache is faster than handing the write to another thread. */
const SMALL_BYTES = 128 * 1_024;

/** docs/security.md, T18. Windows has no such flag. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** The real disk. Only calls that may take long, such as a flush, leave this thread. */
export function nodeFiles(): Files {
  return {
    create: async (path) => openNodeFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL),
    openForChange: async (path) => openNodeFile(path, constants.O_RDWR),
    openForReading: async (path) => openNodeFile(path, constants.O_RDONLY),
    async readFile(path) {
      const file = await open(path, constants.O_RDONLY | NO_LINK);
      try {
        return await file.readFile();
      } finally {
        await file.close();
      }
    },
    list: async (path) => (await readdir(path)).sort(),
    async stat(path) {
      const facts = statSync(path);
      return { size: facts.size, isDirectory: facts.isDirectory(), mode: facts.mode & 0o777 };
    },
    hasEntry: async (path) => statSync(path, { throwIfNoEntry: false }) !== undefined,
    ...realPaths,
    async makeDirectory(path) {
      await mkdir(path, { mode: 0o700 });
    },
    link,
    rename,
    unlink,
    async syncDirectory(path) {
      const directory = await open(path, constants.O_RDONLY);
      try {
        await directory.sync();
      } finally {
        await directory.close();
      }
    },
    async freeBytes(path) {
      const { bavail, bsize } = await statfs(path);
      return bavail * bsize;
    },
  };
}

async function openNodeFile(path: string, flags: number): Promise<OpenFile> {
  const handle: FileHandle = await open(path, flags | NO_LINK, 0o600);
  return {
    async write(bytes, position) {
      if (bytes.length <= SMALL_BYTES) return writeSync(handle.fd, bytes, 0, bytes.length, position);
      return (await handle.write(bytes, 0, bytes.length, position)).bytesWritten;
    },
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    // Not the handle's own, whose promises take a tenth of the processor time of a flush. Nobody closes a file that is being flushed.
    datasync: () =>
      new Promise((resolve, reject) => {
        fdatasync(handle.fd, (error) => (error === null ? resolve() : reject(error)));
      }),
    sync: () => handle.sync(),
    truncate: (length) => handle.truncate(length),
    close: () => handle.close(),
  };
}

/** Writes all bytes, even if single writes are short. Source: docs/storage.md, "Commit". */
export async function writeFully(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const written = await file.write(bytes.subarray(done), position + done);
    if (written === 0) throw new Error("the disk took none of the bytes");
    done += written;
  }
}

/** Reads exactly `length` bytes, or fewer if the file ends before. */
export async function readFully(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const read = await file.read(bytes.subarray(done), position + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}

/**
 * True if the process or the machine has no file descriptors left. Nothing was done, and the condition is temporary.
 */
export function isOutOfDescriptors(error: unknown): boolean {
  return ["EMFILE", "ENFILE"].includes(systemErrorCode(error) ?? "");
}

/** Unlinks a file; succeeds if it does not exist. */
export async function removeIfThere(files: Files, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}
