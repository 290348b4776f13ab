import { randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { systemErrorCode } from "../../../../shared/system-error-code.ts";
import { writeFully, type Files } from "../../files.ts";
import { whyNotOwn, whyNotOwnBelow } from "../../../../shared/own-folder.ts";
import {
  DataFolderForeign,
  DataFolderUnsafe,
  DataFolderUnusable,
  DataFormatUnknown,
  JournalCorrupt,
} from "../../storage-errors.ts";

/** What this version writes. Format 2: the last line of a run may refer to its input. */
const FORMAT = 2;
const READABLE: readonly unknown[] = [1, FORMAT];
/** Permission bits of everybody except the owner. */
export const OTHERS = 0o077;

/** Names in the data folder that the daemon uses. Other files are ignored. */
const OWN_NAMES = /^(?:FORMAT|lock\.\d+|log|state|docs|blobs|cache|health|learned|search-services|ballast)$/;
/** Folders whose contents are written or trusted. */
const OWN_FOLDERS = ["log", "state", "docs"];

/**
 * Creates the folder if it is missing, only for its owner, and checks whether this version may use it: its owner, links
 * out of it, and its format. Changes nothing in an existing folder. Source: docs/storage.md, "The data folder";
 * docs/security.md, T18.
 */
export async function prepareDataFolder(files: Files, dataDir: string): Promise<void> {
  const path = resolve(dataDir);
  try {
    await refuseForeign(files, path);
    await makeDirectories(files, path);
    const facts = await files.stat(path);
    if (!facts.isDirectory) throw new DataFolderUnusable(path, "it is a file. Name a folder with --data-dir.");
    if ((facts.mode & OTHERS) !== 0) throw new DataFolderUnsafe(path, facts.mode);
    await refuseForeignNames(files, path);
    await readFormat(files, path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") {
      throw new DataFolderUnusable(path, "it cannot be made there. Name another with --data-dir.", error);
    }
    throw unusable(path, error);
  }
}

/** Names the unusable path if the file system refused access; returns other errors unchanged. */
export function unusable(path: string, error: unknown): unknown {
  switch (systemErrorCode(error)) {
    case "EACCES":
    case "EPERM":
      return new DataFolderUnusable(
        path,
        `you may not read or write it. Check its owner and mode with: ls -ld '${path}'`,
        error,
      );
    case "ENOTDIR":
      return new DataFolderUnusable(path, "part of the path is a file, not a folder.", error);
    case "ELOOP":
      return new DataFolderForeign(
        path,
        `${pathOf(error) ?? "a file in it"} is a link, and files are not opened through one`,
      );
    case "EROFS":
      return new DataFolderUnusable(path, "its disk is read-only.", error);
    case "ENOSPC":
    case "EDQUOT":
      return new DataFolderUnusable(path, "its disk is full. Make room and start again.", error);
    default:
      return error;
  }
}

/** Writes FORMAT into a new folder, under the lock and before the first segment. */
export async function markFormat(files: Files, dataDir: string): Promise<void> {
  if ((await readFormat(files, dataDir)) !== undefined) return;
  if ((await files.list(dataDir)).includes("log") && (await files.list(join(dataDir, "log"))).length > 0) {
    throw new JournalCorrupt(join(dataDir, "FORMAT"), 0, "it is missing, and the folder is not new");
  }
  await writeFormat(files, dataDir);
}

/** Marks a folder of an earlier version that was read and is about to be written: from then on earlier versions refuse it. */
export async function raiseFormat(files: Files, dataDir: string): Promise<void> {
  if ((await readFormat(files, dataDir)) !== FORMAT) await writeFormat(files, dataDir);
}

/** From now on, a daemon can start on a folder with a journal. */
export async function writeFormat(files: Files, dataDir: string): Promise<void> {
  const temporary = join(dataDir, `FORMAT.new-${randomUUID()}`);
  const file = await files.create(temporary);
  try {
    await writeFully(file, Buffer.from(`${JSON.stringify({ format: FORMAT })}\n`), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(temporary, join(dataDir, "FORMAT"));
  await files.syncDirectory(dataDir);
}

/** Creates a folder in `dataDir` if it is missing; when this resolves, its name is on the disk. */
export async function ensureFolder(files: Files, dataDir: string, name: string): Promise<string> {
  const path = join(dataDir, name);
  await makeUnlessThere(files, path);
  const why = whyNotOwnBelow(path, await files.lookAt(path));
  if (why !== undefined) throw new DataFolderForeign(dataDir, why);
  // Needed even if it existed: the process that created it may have died before this.
  await files.syncDirectory(dataDir);
  return path;
}

/** Undefined when there is no FORMAT yet. Rejects with `DataFormatUnknown`. */
export async function readFormat(files: Files, dataDir: string): Promise<number | undefined> {
  const path = join(dataDir, "FORMAT");
  let text: string;
  try {
    text = (await files.readFile(path)).toString("utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const format = formatOf(text);
  if (!READABLE.includes(format)) throw new DataFormatUnknown(path, text.trim().slice(0, 80) || "nothing");
  return Number(format);
}

function formatOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  } catch {
    return undefined;
  }
}

async function refuseForeign(files: Files, path: string): Promise<void> {
  const why = await whyNotOwn(path, files);
  if (why !== undefined) throw new DataFolderForeign(path, why);
}

async function refuseForeignNames(files: Files, path: string): Promise<void> {
  const names = (await files.list(path)).filter((name) => OWN_NAMES.test(name));
  for (const name of names) await refuseForeignName(files, path, name);
  for (const folder of OWN_FOLDERS.filter((name) => names.includes(name))) {
    for (const name of await files.list(join(path, folder))) await refuseForeignName(files, path, join(folder, name));
  }
}

async function refuseForeignName(files: Files, dataDir: string, name: string): Promise<void> {
  const path = join(dataDir, name);
  const facts = await files.lookAt(path).catch((error: unknown) => {
    // A running daemon may remove files meanwhile; taking the lock will report that it runs.
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  const why = facts === undefined ? undefined : whyNotOwnBelow(path, facts, dataDir);
  if (why !== undefined) throw new DataFolderForeign(dataDir, why);
}

function pathOf(error: unknown): string | undefined {
  return error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
}

async function makeDirectories(files: Files, path: string): Promise<void> {
  const parent = dirname(path);
  if (parent === path) return;
  try {
    await files.stat(path);
    return;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
  await makeDirectories(files, parent);
  await makeUnlessThere(files, path);
  await files.syncDirectory(parent);
}

async function makeUnlessThere(files: Files, path: string): Promise<void> {
  try {
    await files.makeDirectory(path);
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
}
