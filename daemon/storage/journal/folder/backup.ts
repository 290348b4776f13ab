import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin, realPathToBe } from "../../../../shared/real-path.ts";
import type { BackupReport } from "../../../../shared/contract/admin.ts";
import { BackupRefused } from "../../../operator/backup-store.ts";
import { systemErrorCode } from "../../../../shared/system-error-code.ts";
import { writeFully, type Files, type OpenFile } from "../../files.ts";
import { isNoRoom } from "../disk/ballast.ts";
import { OTHERS, writeFormat } from "./data-folder.ts";
import { compareAge } from "../segments/recovery.ts";
import { indexName, type JournalEnd, parseSegmentName, type SegmentName } from "../segments/segment.ts";

/*
 * A copy of the data folder while its daemon writes on; no output is removed meanwhile. What it must not miss is settled first, the end of the journal; what
 * may change under it is copied in an order in which no later part refers to an earlier one that was not there yet:
 *
 *   1  the current segment, opened            even if it is renamed, its bytes up to the end stay
 *   2  blobs                                  those of every line up to the end are there
 *   3  documents, sealed segments, indexes    no line refers to a blob that was made later
 *   4  the segment of 1, up to the end
 *   5  the newest snapshot up to the end
 *   6  FORMAT                                 a folder with a journal and no FORMAT does not start: the copy is whole or useless
 *
 * Locks, the ballast and unfinished files are not copied. Source: docs/storage.md, "Backup".
 */

const CHUNK_BYTES = 1_024 * 1_024;
const BLOB_NAME = /^[0-9a-f]{64}$/;
const FOLDERS = ["log", "state", "docs", "blobs"];

export interface BackupParts {
  readonly files: Files;
  readonly dataDir: string;
  readonly directory: string;
  /** Everything up to here is durable. */
  readonly end: JournalEnd;
}

/**
 * Rejects with `BackupRefused` before creating anything, or with the disk's error; then the incomplete copy is removed.
 */
export async function backUpDataFolder(parts: BackupParts): Promise<BackupReport> {
  const source = await openSource(parts);
  try {
    return await copyAll(parts, source, await prepareTarget(parts));
  } finally {
    await source.file.close();
  }
}

/** `made`: the folders that were created for the copy, the outermost first. */
async function copyAll(parts: BackupParts, source: Source, made: readonly string[]): Promise<BackupReport> {
  const { files, directory, end } = parts;
  const copy = new Copy(parts);
  try {
    const segments = await copy.everything(source, end);
    for (const folder of made.length === 0 ? [directory] : made.toReversed())
      await files.syncDirectory(dirname(folder));
    return { directory, segments, bytes: copy.bytes, seq: end.seq };
  } catch (error) {
    await copy.remove();
    await removeEmpty(made);
    if (isNoRoom(error)) throw new BackupRefused(`${directory} has too little room for the backup`, { cause: error });
    throw error;
  }
}

interface Source {
  readonly file: OpenFile;
  readonly name: SegmentName;
}

async function openSource({ files, dataDir, end }: BackupParts): Promise<Source> {
  const name = (await listSegmentNames(files, join(dataDir, "log"))).get(end.segment);
  if (name === undefined) throw new Error(`there is no segment ${end.segment} of the journal`);
  return { name, file: await files.openForReading(join(dataDir, "log", name.name)) };
}

/** The valid file for each number, chosen as recovery does. */
async function listSegmentNames(files: Files, folder: string): Promise<Map<number, SegmentName>> {
  const best = new Map<number, SegmentName>();
  for (const name of await files.list(folder)) {
    const found = parseSegmentName(name);
    if (found === undefined) continue;
    const rival = best.get(found.number);
    if (rival === undefined || compareAge(found, rival) > 0) best.set(found.number, found);
  }
  return best;
}

/**
 * Ensures that the folder exists, is empty and only for its owner. Returns the created folders, the outermost first.
 */
async function prepareTarget({ files, dataDir, directory }: BackupParts): Promise<string[]> {
  if (!isAbsolute(directory)) throw new BackupRefused(`${directory} is not an absolute path; begin it with /`);
  const [from, to] = [realPathToBe(resolve(dataDir)), realPathToBe(resolve(directory))];
  if (isWithin(from, to)) throw new BackupRefused(`${directory} lies in the data folder; name a folder outside of it`);
  try {
    return await makeFolders(files, directory);
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw notMade(directory, error);
  }
  const facts = await files.stat(directory).catch((error: unknown) => Promise.reject(notLed(directory, error)));
  if (!facts.isDirectory) throw new BackupRefused(`${directory} is a file; name a folder`);
  const names = await files.list(directory).catch((error: unknown) => Promise.reject(notMade(directory, error)));
  if (names.length > 0) throw new BackupRefused(`${directory} is not empty; name a new folder`);
  if ((facts.mode & OTHERS) !== 0) {
    throw new BackupRefused(
      `${directory} is open to other users of this machine. Close it with: chmod 700 '${directory}'`,
    );
  }
  await refuseForeign(directory);
  return [];
}

/** Root may write into the folder of another user, who must not be able to read the backup. */
async function refuseForeign(directory: string): Promise<void> {
  const own = process.geteuid?.();
  if (own === undefined || (await stat(directory)).uid === own) return;
  throw new BackupRefused(`${directory} belongs to another user of this machine; name a folder of your own`);
}

/** Creates the folder and its missing parents, only for their owner. Returns them, the outermost first. */
async function makeFolders(files: Files, directory: string): Promise<string[]> {
  try {
    await files.makeDirectory(directory);
    return [directory];
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
  const made = await makeFolders(files, dirname(directory));
  try {
    await files.makeDirectory(directory);
  } catch (error) {
    await removeEmpty(made);
    throw error;
  }
  return [...made, directory];
}

function notMade(directory: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  return new BackupRefused(`${directory} cannot be written: ${error instanceof Error ? error.message : code}`, {
    cause: error,
  });
}

/** A path that exists and yet cannot be found is a dangling link. */
function notLed(directory: string, error: unknown): unknown {
  if (!["ENOENT", "ELOOP"].includes(systemErrorCode(error) ?? "")) return notMade(directory, error);
  const message = `${directory}, or a part of its way, is a link that leads nowhere; name a folder, or remove the link`;
  return new BackupRefused(message, { cause: error });
}

class Copy {
  readonly #files: Files;
  readonly #from: string;
  readonly #to: string;
  /** Those of `FOLDERS` that this backup created in the target. */
  readonly #made: string[] = [];
  bytes = 0;

  constructor({ files, dataDir, directory }: BackupParts) {
    this.#files = files;
    this.#from = dataDir;
    this.#to = directory;
  }

  /** Returns the number of segments. */
  async everything(source: Source, end: JournalEnd): Promise<number> {
    for (const folder of FOLDERS) {
      await this.#inTarget(this.#files.makeDirectory(join(this.#to, folder)));
      this.#made.push(folder);
    }
    await this.#blobs();
    // The findings of the scrub are about this disk, not about the copy.
    const isCopied = (name: string) => /\.json(\.bak)?$/.test(name) && !name.startsWith("scrub.json");
    for (const name of await this.#list("docs")) if (isCopied(name)) await this.#copy("docs", name);
    const sealed = await this.#sealed(end.segment);
    await this.#write(["log", source.name.name], source.file, end.bytes);
    await this.#snapshot(end.seq);
    for (const folder of FOLDERS) await this.#inTarget(this.#files.syncDirectory(join(this.#to, folder)));
    await this.#inTarget(writeFormat(this.#files, this.#to));
    return sealed + 1;
  }

  /**
   * Removes an incomplete copy, which is useless and may be what fills the disk. Files of others beside it stay. Never
   * rejects, so that the caller reports why the copy failed.
   */
  async remove(): Promise<void> {
    const formats = (await readdir(this.#to).catch(() => [])).filter((name) => name.startsWith("FORMAT"));
    const ours = this.#made.length === FOLDERS.length ? [...this.#made, ...formats] : this.#made;
    for (const name of ours) await rm(join(this.#to, name), { recursive: true, force: true }).catch(() => undefined);
  }

  /** Reports errors of the target's disk as ones that the caller can fix; a full disk gets its own message. */
  async #inTarget<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      throw isNoRoom(error) ? error : notMade(this.#to, error);
    }
  }

  async #blobs(): Promise<void> {
    for (const folder of await this.#list("blobs")) {
      await this.#inTarget(this.#files.makeDirectory(join(this.#to, "blobs", folder)));
      const names = (await this.#list("blobs", folder)).filter((name) => BLOB_NAME.test(name));
      for (const name of names) await this.#copy("blobs", folder, name);
      await this.#inTarget(this.#files.syncDirectory(join(this.#to, "blobs", folder)));
    }
  }

  /** Copies all segments before `last` with their indexes. A segment that is renamed meanwhile is looked up again. */
  async #sealed(last: number): Promise<number> {
    const copied = new Set<number>();
    while (copied.size < last - 1) {
      const before = copied.size;
      for (const { number, name } of (await listSegmentNames(this.#files, join(this.#from, "log"))).values()) {
        if (number < last && !copied.has(number) && (await this.#copy("log", name))) {
          copied.add(number);
          await this.#copy("log", indexName(name));
        }
      }
      if (copied.size === before) throw new Error(`the journal has ${copied.size} of ${last - 1} full segments`);
    }
    return copied.size;
  }

  /** Copies the newest snapshot without later lines. If it is removed meanwhile, the next start makes one. */
  async #snapshot(lastSeq: number): Promise<void> {
    const names = await this.#list("state");
    const newest = Math.max(0, ...names.map(seqOfSnapshot).filter((seq) => seq <= lastSeq));
    const name = names.find((one) => seqOfSnapshot(one) === newest);
    if (name !== undefined) await this.#copy("state", name);
  }

  async #list(...path: string[]): Promise<string[]> {
    try {
      return await this.#files.list(join(this.#from, ...path));
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") return [];
      throw error;
    }
  }

  /** False if the file no longer exists. */
  async #copy(...path: string[]): Promise<boolean> {
    let file: OpenFile;
    try {
      file = await this.#files.openForReading(join(this.#from, ...path));
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") return false;
      throw error;
    }
    try {
      await this.#write(path, file, Infinity);
    } finally {
      await file.close();
    }
    return true;
  }

  async #write(path: readonly string[], from: OpenFile, length: number): Promise<void> {
    const to = await this.#inTarget(this.#files.create(join(this.#to, ...path)));
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      let done = 0;
      while (done < length) {
        const read = await from.read(chunk.subarray(0, Math.min(chunk.length, length - done)), done);
        if (read === 0) break;
        await this.#inTarget(writeFully(to, chunk.subarray(0, read), done));
        done += read;
      }
      if (length !== Infinity && done < length) throw new Error(`${path.join("/")} is shorter than it was`);
      await this.#inTarget(to.sync());
      this.bytes += done;
    } finally {
      await to.close();
    }
  }
}

/** Snapshots are `snap-<number of the last line in them>.json`. Other names belong to no line. */
function seqOfSnapshot(name: string): number {
  const [, seq] = /^snap-(\d+)\.json$/.exec(name) ?? [];
  return seq === undefined ? Infinity : Number(seq);
}

/** Removes the folders that were created for a failed copy, unless somebody has put something into them. */
async function removeEmpty(made: readonly string[]): Promise<void> {
  for (const folder of made.toReversed()) await rmdir(folder).catch(() => undefined);
}
