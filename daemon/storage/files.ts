import { constants, statSync, writeSync } from "node:fs";
import { link, mkdir, open, readdir, rename, statfs, unlink, type FileHandle } from "node:fs/promises";
import { type PathFacts, realPaths } from "../../shared/own-folder.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/** An open file. Positions and lengths are bytes. */
export interface OpenFile {
  /** Resolves to the bytes written, which may be fewer than asked for: a full disk answers so first. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Resolves to the bytes read, which may be fewer; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** The content and what is needed to read it back are on the disk. */
  datasync(): Promise<void>;
  /** As `datasync`, and everything else that the disk keeps about the file. */
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
 * The door to the disk: exactly the calls that durable storage makes, so that tests can let each of them fail or be the
 * last one. Errors are those of `node:fs`, with `code`. No file is opened through a link: ELOOP.
 */
export interface Files {
  /** A new file, readable and writable by its owner alone; EEXIST when there is one. */
  create(path: string): Promise<OpenFile>;
  /** An existing file, for reading and for changing. */
  openForChange(path: string): Promise<OpenFile>;
  openForReading(path: string): Promise<OpenFile>;
  readFile(path: string): Promise<Buffer>;
  /** Names in a directory, sorted. */
  list(path: string): Promise<string[]>;
  stat(path: string): Promise<FileFacts>;
  /** Whose it is, and whether it is a link. */
  lookAt(path: string): Promise<PathFacts>;
  /** Without links. */
  realPath(path: string): Promise<string>;
  /** A new directory, for its owner alone; the parent must exist. */
  makeDirectory(path: string): Promise<void>;
  /** A second name for a file, made whole or not at all; EEXIST when the name is taken. */
  link(existing: string, name: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** The names in the directory are on the disk. */
  syncDirectory(path: string): Promise<void>;
  /** Bytes that the disk of a directory still takes; a quota may allow fewer. */
  freeBytes(path: string): Promise<number>;
}

/** A write of so many bytes goes to the system's memory sooner than another thread could be asked to do it. */
const SMALL_BYTES = 64 * 1_024;

/** docs/security.md, T18. Windows has no such thing. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** The real disk. Only what may take long, such as a flush, leaves this thread. */
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
    datasync: () => handle.datasync(),
    sync: () => handle.sync(),
    truncate: (length) => handle.truncate(length),
    close: () => handle.close(),
  };
}

/** Writes all of it, however short the single writes are. Source: docs/storage.md, "Commit". */
export async function writeFully(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const written = await file.write(bytes.subarray(done), position + done);
    if (written === 0) throw new Error("the disk took none of the bytes");
    done += written;
  }
}

/** Reads exactly `length` bytes, or fewer when the file ends before. */
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

/** The process, or the machine, has no descriptor left to open another file. Nothing was done, and it passes. */
export function isOutOfDescriptors(error: unknown): boolean {
  return ["EMFILE", "ENFILE"].includes(systemErrorCode(error) ?? "");
}

/** Unlinks; a name that is not there is what was wanted. */
export async function removeIfThere(files: Files, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}
