import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, lstat, readFile, rename } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { ProcessIdentity } from "./process-identity.ts";
import { realPathToBe } from "./real-path.ts";
import { flushFolder, makePrivateFolder, replacePrivateFile } from "./replace-file.ts";
import { systemErrorCode } from "./system-error-code.ts";

/**
 * How the CLI finds a daemon on this machine: one file per data folder, below the configuration folder, written by the
 * daemon when it listens. Contract: docs/command-line.md, "The local daemon".
 *
 * The file outlives the daemon: `key` is the owner's key, which exists nowhere else in readable form and is good for
 * the next start too. `url`, `registryUrl` and `pid` are those of the last start; a reader believes them, and sends the
 * key there, only while `stoppedAt` is absent and the very process that `process` tells of lives.
 */
export interface LocalDaemonFile {
  url: string;
  registryUrl: string;
  pid: number;
  /** The process that had the pid. Absent if there was none: a new key for a daemon that never ran here. */
  process?: ProcessIdentity;
  version: string;
  /** The data folder as the daemon was given it, absolute. */
  dataDir: string;
  /** The owner's API key, in full; absent when this configuration folder never had it. */
  key?: string;
  startedAt: string;
  /** Set by a daemon that stopped cleanly; absent while it runs and after a crash. */
  stoppedAt?: string;
}

const textMembers = ["url", "registryUrl", "version", "dataDir", "startedAt"] as const;
const optionalTextMembers = ["key", "stoppedAt"] as const;

/**
 * The path of the file for a data folder: `<config>/local/<first 16 hex digits of sha256 of its real path>.json`.
 * A folder that does not exist yet counts as the path it will have.
 */
export function localDaemonFilePath(configDir: string, dataDir: string): string {
  const hash = createHash("sha256")
    .update(realPathToBe(resolve(dataDir)))
    .digest("hex");
  return join(configDir, "local", `${hash.slice(0, 16)}.json`);
}

/** The file's content; undefined when there is none. Rejects, naming the file, when it cannot be read or understood. */
export async function readLocalDaemonFile(configDir: string, dataDir: string): Promise<LocalDaemonFile | undefined> {
  const path = localDaemonFilePath(configDir, dataDir);
  let text: string;
  try {
    // At once, since every call of the CLI waits for it: in the thread pool it would be four turns of the event loop.
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const file = parseJson(text);
  if (isLocalDaemonFile(file)) return file;
  throw new Error(
    `The file ${path}, which says where the local daemon is, cannot be understood. ` +
      "Remove it, then make a new key with the daemon stopped: mkt daemon reset-owner-key",
  );
}

/** Replaces the file for `file.dataDir` as `replacePrivateFile` does. Returns its path. */
export async function writeLocalDaemonFile(configDir: string, file: LocalDaemonFile): Promise<string> {
  const path = localDaemonFilePath(configDir, file.dataDir);
  await makePrivateFolder(dirname(path));
  await checkFolder(dirname(path));
  await replacePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`);
  return path;
}

/**
 * Copies the file, with its key, to a name that no daemon replaces. Returns the path of the copy; undefined when there is no
 * file that can be read. Rejects when the copy cannot be written.
 */
export async function copyLocalDaemonFile(configDir: string, dataDir: string): Promise<string | undefined> {
  const path = localDaemonFilePath(configDir, dataDir);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  await checkFolder(dirname(path));
  const file = parseJson(text);
  // Named by the key, so that one key has one copy.
  const kept = (isLocalDaemonFile(file) ? file.key : undefined) ?? text;
  const copy = `${path.slice(0, -".json".length)}-before-${createHash("sha256").update(kept).digest("hex").slice(0, 8)}.json`;
  await replacePrivateFile(copy, text);
  return copy;
}

/** Puts a copy, which is gone then, back in the place of the file. */
export async function putBackLocalDaemonFile(configDir: string, dataDir: string, copy: string): Promise<void> {
  const path = localDaemonFilePath(configDir, dataDir);
  await rename(copy, path);
  await flushFolder(dirname(path));
}

async function checkFolder(folder: string): Promise<void> {
  if ((await lstat(folder)).isSymbolicLink()) {
    throw new Error(
      `${folder} is a link, and the owner's key is not written to where it leads. Put the folder itself in its place`,
    );
  }
  await chmod(folder, 0o700);
}

/**
 * Records that the daemon with this pid stopped; the key stays. Does nothing when there is no file, or when it already
 * belongs to another process (a new daemon that was faster).
 */
export async function markLocalDaemonStopped(
  configDir: string,
  dataDir: string,
  stopped: { pid: number; at: string },
): Promise<void> {
  const file = await readLocalDaemonFile(configDir, dataDir);
  if (file === undefined || file.pid !== stopped.pid) return;
  await writeLocalDaemonFile(configDir, { ...file, stoppedAt: stopped.at });
}

// Checked by hand and not with zod: every call of the CLI reads this file, and loading zod costs as much as an empty
// process.
function isLocalDaemonFile(value: unknown): value is LocalDaemonFile {
  if (typeof value !== "object" || value === null) return false;
  const members = value as Partial<Record<keyof LocalDaemonFile, unknown>>;
  if (!textMembers.every((name) => typeof members[name] === "string")) return false;
  if (!optionalTextMembers.every((name) => ["string", "undefined"].includes(typeof members[name]))) return false;
  if (members.process !== undefined && !isProcessIdentity(members.process)) return false;
  return Number.isSafeInteger(members.pid) && Number(members.pid) > 0;
}

function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  return "start" in value && typeof value.start === "string" && "boot" in value && typeof value.boot === "string";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
