import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin, realPathToBe } from "../../../shared/real-path.ts";
import type { BackupReport } from "../../../shared/contract/admin.ts";
import { BackupRefused } from "../../operator/backup-store.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { writeFully, type Files, type OpenFile } from "../files.ts";
import { isNoRoom } from "./ballast.ts";
import { OTHERS, writeFormat } from "./data-folder.ts";
import { compareAge } from "./recovery.ts";
import { indexName, type JournalEnd, parseSegmentName, type SegmentName } from "./segment.ts";

/*
 * A copy of the data folder while its daemon writes on; no output is removed meanwhile. What it must not miss is settled first, the end of the journal; what
 * may change under it is copied in an order in which no later part refers to an earlier one that was not there yet:
 *
 *   1  the segment that is written, opened    whatever becomes of its name, its bytes up to the end stay
 *   2  blobs                                  those of every line up to the end are there
 *   3  documents, sealed segments, indexes    no line refers to a blob that was made later
 *   4  the segment of 1, up to the end
 *   5  the newest snapshot up to the end
 *   6  FORMAT                                 a folder with a journal and no FORMAT does not start: the copy is whole or useless
 *
 * Locks, the ballast and what is half written are left behind. Source: docs/storage.md, "Backup".
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

/** Rejects with `BackupRefused` before anything is made, or with the disk's error; then nothing of the copy stays. */
export async function backUpDataFolder(parts: BackupParts): Promise<BackupReport> {
  const source = await openSource(parts);
  try {
    return await copyAll(parts, source, await prepareTarget(parts));
  } finally {
    await source.file.close();
  }
}

/** `made`: the folders that were not there before, the outermost first. */
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

/** The file that counts of each number, as recovery chooses it. */
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

/** The folder is there, empty, and its owner's alone. Returns what was made for it, the outermost first. */
async function prepareTarget({ files, dataDir, directory }: BackupParts): Promise<string[]> {
  if (!isAbsolute(directory)) throw new BackupRefused(`${directory} is not an absolute path; begin it with /`);
  const [from, to] = [await realPathToBe(resolve(dataDir)), await realPathToBe(resolve(directory))];
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

/** Root may write where somebody else reads; what is in a backup is no business of theirs. */
async function refuseForeign(directory: string): Promise<void> {
  const own = process.geteuid?.();
  if (own === undefined || (await stat(directory)).uid === own) return;
  throw new BackupRefused(`${directory} belongs to another user of this machine; name a folder of your own`);
}

/** Makes the folder, and those that it lies in where they are not there, each its owner's alone. The outermost first. */
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

/** A name that is taken and yet leads to nothing is a link. */
function notLed(directory: string, error: unknown): unknown {
  if (!["ENOENT", "ELOOP"].includes(systemErrorCode(error) ?? "")) return notMade(directory, error);
  const message = `${directory}, or a part of its way, is a link that leads nowhere; name a folder, or remove the link`;
  return new BackupRefused(message, { cause: error });
}

class Copy {
  readonly #files: Files;
  readonly #from: string;
  readonly #to: string;
  /** Of `FOLDERS`: what is in the target by our hand. */
  readonly #made: string[] = [];
  bytes = 0;

  constructor({ files, dataDir, directory }: BackupParts) {
    this.#files = files;
    this.#from = dataDir;
    this.#to = directory;
  }

  /** Returns how many segments there are. */
  async everything(source: Source, end: JournalEnd): Promise<number> {
    for (const folder of FOLDERS) {
      await this.#inTarget(this.#files.makeDirectory(join(this.#to, folder)));
      this.#made.push(folder);
    }
    await this.#blobs();
    // What was found on this disk says nothing of the copy.
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
   * A copy that is not whole is of no use, and may be what fills the disk. What others put beside it stays. Why it failed is
   * what has to be told, so nothing here rejects.
   */
  async remove(): Promise<void> {
    const formats = (await readdir(this.#to).catch(() => [])).filter((name) => name.startsWith("FORMAT"));
    const ours = this.#made.length === FOLDERS.length ? [...this.#made, ...formats] : this.#made;
    for (const name of ours) await rm(join(this.#to, name), { recursive: true, force: true }).catch(() => undefined);
  }

  /** What the disk of the target refuses is the caller's to mend; a full one is told by its own words. */
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

  /** All segments before `last`, with their indexes. One that gets a new name meanwhile is looked for again. */
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

  /** The newest that holds no later line. One that is removed meanwhile is made again at a start. */
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

  /** False when there is no such file any more. */
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

/** Folders that were made for a copy which did not come about. What somebody has put something into stays. */
async function removeEmpty(made: readonly string[]): Promise<void> {
  for (const folder of made.toReversed()) await rmdir(folder).catch(() => undefined);
}
