import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isLeftover, temporaryName } from "./temporary-file.ts";
import { systemErrorCode } from "./system-error-code.ts";

/**
 * The disk operations for replacing a file. The daemon's `Files` has most of them, so that one simulated disk serves
 * both. Errors are those of `node:fs`, with `code`.
 */
export interface ReplacingDisk {
  /** Creates a file that only its owner can read from the first byte on; EEXIST when there is one. */
  create(path: string): Promise<NewFile>;
  /** Permission bits. */
  setMode(path: string, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Creates a folder that only its owner can access; the parent must exist. */
  makeDirectory(path: string): Promise<void>;
  list(path: string): Promise<string[]>;
  /** Flushes the names in the folder to the disk. */
  syncDirectory(path: string): Promise<void>;
}

export interface NewFile {
  /** Resolves to the number of bytes written, which may be fewer than requested. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export const realDisk: ReplacingDisk = {
  async create(path) {
    const file = await open(path, "wx", 0o600);
    return {
      write: async (bytes, position) => (await file.write(bytes, 0, bytes.length, position)).bytesWritten,
      sync: () => file.sync(),
      close: () => file.close(),
    };
  },
  setMode: chmod,
  rename,
  unlink,
  async makeDirectory(path) {
    await mkdir(path, { mode: 0o700 });
  },
  list: (path) => readdir(path),
  async syncDirectory(path) {
    // Not available on Windows.
    if (process.platform === "win32") return;
    const folder = await open(path, constants.O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
};

/**
 * Replaces this file atomically by a new one that only its owner can read from the first byte on. When this resolves,
 * text and name are on the disk and survive a power loss. The folder must exist. docs/security.md, T18;
 * docs/storage.md, "Small documents".
 */
export async function replacePrivateFile(path: string, text: string, disk: ReplacingDisk = realDisk): Promise<void> {
  await replace(disk, path, text, { isFlushed: true });
}

/**
 * As `replacePrivateFile`, for a file that need not be private: it keeps its permissions, and a new one is no more
 * accessible than its folder. The folder is created if necessary, accessible only to its owner.
 */
export async function replaceFile(path: string, text: string, disk: ReplacingDisk = realDisk): Promise<void> {
  const folder = dirname(path);
  await makePrivateFolder(folder, disk);
  const before = await stat(path).catch(() => undefined);
  const mode = before?.mode ?? (await stat(folder)).mode & 0o666 & ~process.umask();
  await replace(disk, path, text, { isFlushed: true, mode: mode & 0o777 });
}

/**
 * As `replacePrivateFile`, for what can be made again at any time: it does not wait for the disk, and after a power
 * loss the file may be missing or empty.
 */
export async function replaceCacheFile(path: string, text: string): Promise<void> {
  await replace(realDisk, path, text, { isFlushed: false });
}

/** The names in the folder are on the disk when this resolves. */
export async function flushFolder(path: string): Promise<void> {
  await realDisk.syncDirectory(path);
}

/** Creates a folder and its missing parents, each accessible only to its owner; their names are on the disk. */
export async function makePrivateFolder(path: string, disk: ReplacingDisk = realDisk): Promise<void> {
  // Not `recursive`: below a folder that does not allow new ones, such as /proc, Node 20 would retry forever.
  try {
    await disk.makeDirectory(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    await makePrivateFolder(dirname(path), disk);
    await disk.makeDirectory(path).catch((again: unknown) => {
      if (systemErrorCode(again) !== "EEXIST") throw again;
    });
  }
  await disk.syncDirectory(dirname(path));
}

/**
 * Removes the temporary files of a folder whose writer died before renaming them: they may contain a secret. Those of
 * living processes stay. A folder that does not exist has none.
 */
export async function sweepLeftovers(folder: string, disk: ReplacingDisk = realDisk): Promise<void> {
  const names = await disk.list(folder).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  });
  let removed = 0;
  for (const name of names) {
    const path = join(folder, name);
    if (!(await isLeftover(path))) continue;
    await unlinkIfThere(disk, path);
    removed += 1;
  }
  if (removed > 0) await disk.syncDirectory(folder);
}

interface Replacing {
  /** Whether it is flushed to the disk. */
  readonly isFlushed: boolean;
  /** Absent: only the owner can access the file. */
  readonly mode?: number;
}

async function replace(disk: ReplacingDisk, path: string, text: string, { isFlushed, mode }: Replacing): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, temporaryName(basename(path), randomBytes(6).toString("hex")));
  try {
    const file = await disk.create(temporary);
    try {
      await writeAll(file, Buffer.from(text));
      if (mode !== undefined) await disk.setMode(temporary, mode);
      if (isFlushed) await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(temporary, path);
  } catch (error) {
    await unlinkIfThere(disk, temporary).catch(() => undefined);
    throw error;
  }
  if (isFlushed) await disk.syncDirectory(folder);
}

async function writeAll(file: NewFile, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const written = await file.write(bytes.subarray(done), done);
    if (written === 0) throw new Error("the disk took none of the bytes");
    done += written;
  }
}

async function unlinkIfThere(disk: ReplacingDisk, path: string): Promise<void> {
  await disk.unlink(path).catch((error: unknown) => {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  });
}
