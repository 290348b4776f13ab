import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { systemErrorCode } from "../../../../shared/system-error-code.ts";
import { removeIfThere, writeFully, type Files } from "../../files.ts";
import { DataFolderInUse, LockLost } from "../../storage-errors.ts";
import type { ProcessIdentity, ProcessTable } from "./process-table.ts";
import { parseSegmentName } from "../segments/segment.ts";

/*
 * One writer at a time. Each start creates `lock.<generation>`, one higher than all before, with `link`: atomic, and
 * successful for one process only. It may do so if the holder of the highest lock is gone:
 *
 *   holder                                              start
 *   released it, or its process or boot has ended       goes on
 *   is alive                                            refused
 *   on another host or in another pid namespace         refused, as nobody can tell; --force-unlock overrides
 *
 * No times are compared, so sleep and clock changes cannot pass the lock on. A writer checks for a higher lock before
 * and after each batch, so one that was forced out notices. Source: docs/storage.md, "One writer".
 */

const LOCK_NAME = /^lock\.(\d{8})$/;
const TEMPORARY = "lock.new-";
const MAX_TRIES = 100;

const Holder = z.object({
  pid: z.int(),
  start: z.string(),
  boot: z.string(),
  host: z.string(),
  pidNamespace: z.string(),
  nonce: z.string(),
  released: z.literal(true).optional(),
});
type Holder = z.infer<typeof Holder>;

export interface GenerationLock {
  readonly generation: number;
  /** Rejects with `LockLost` when another process has taken over. */
  check(): Promise<void>;
  /** Lets another process take the lock while this one is still alive. */
  release(): Promise<void>;
}

export interface LockOptions {
  readonly files: Files;
  readonly processes: ProcessTable;
  readonly dataDir: string;
  /** Folder of the segments; their generations are never used again either. */
  readonly logFolder: string;
  /** Take over from a holder that may be alive; for containers, whose processes cannot be checked from outside. */
  readonly forceUnlock: boolean;
}

/** Rejects with `DataFolderInUse` when another process holds the folder or may hold it. */
export async function acquireLock(options: LockOptions): Promise<GenerationLock> {
  const { files, dataDir } = options;
  const self = await options.processes.self();
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const highest = await findHighest(options);
    const generation = highest.generation + 1;
    if (highest.lock !== undefined && !options.forceUnlock) {
      await checkHolderGone(options, self, highest.lock);
    }
    const holder: Holder = { ...self, nonce: randomUUID() };
    if (!(await linkLock(files, dataDir, generation, holder))) continue;
    const after = await findHighest(options);
    if (after.generation > generation) continue;
    await sweep(options, self, generation);
    return lockOf(files, dataDir, generation, holder);
  }
  throw new DataFolderInUse(dataDir, undefined, "too many processes start on it at once");
}

function lockOf(files: Files, dataDir: string, generation: number, holder: Holder): GenerationLock {
  const nextLock = join(dataDir, lockName(generation + 1));
  return {
    generation,
    async check() {
      if (await files.hasEntry(nextLock)) throw new LockLost(dataDir);
    },
    async release() {
      const temporary = join(dataDir, `${TEMPORARY}${holder.nonce}`);
      await writeHolder(files, temporary, { ...holder, released: true });
      await files.rename(temporary, join(dataDir, lockName(generation)));
    },
  };
}

function lockName(generation: number): string {
  return `lock.${String(generation).padStart(8, "0")}`;
}

/**
 * The segments are listed before the locks: a process that creates a segment in between already has a lock, which is
 * then seen.
 */
async function findHighest(options: LockOptions): Promise<{ generation: number; lock?: string }> {
  const { files, dataDir, logFolder } = options;
  const ofSegments = (await listIfThere(files, logFolder)).map((name) => parseSegmentName(name)?.generation ?? 0);
  const lock = (await files.list(dataDir)).filter((name) => LOCK_NAME.test(name)).at(-1);
  const generation = Math.max(0, ...ofSegments, lock === undefined ? 0 : generationOf(lock));
  return lock === undefined ? { generation } : { generation, lock };
}

function generationOf(lock: string): number {
  return Number(LOCK_NAME.exec(lock)?.[1] ?? 0);
}

async function listIfThere(files: Files, folder: string): Promise<string[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** False when another process was faster. */
async function linkLock(files: Files, dataDir: string, generation: number, holder: Holder): Promise<boolean> {
  const temporary = join(dataDir, `${TEMPORARY}${holder.nonce}`);
  await writeHolder(files, temporary, holder);
  try {
    await files.link(temporary, join(dataDir, lockName(generation)));
  } catch (error) {
    // ENOENT: the winner has removed our temporary file.
    if (["EEXIST", "ENOENT"].includes(systemErrorCode(error) ?? "")) return false;
    throw error;
  } finally {
    await removeIfThere(files, temporary);
  }
  await files.syncDirectory(dataDir);
  return true;
}

async function writeHolder(files: Files, path: string, holder: Holder): Promise<void> {
  const file = await files.create(path);
  try {
    await writeFully(file, Buffer.from(`${JSON.stringify(holder)}\n`), 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

type Judgement = { readonly isGone: true } | { readonly isGone: false; readonly pid?: number; readonly why: string };

async function checkHolderGone(options: LockOptions, self: ProcessIdentity, lock: string): Promise<void> {
  const judgement = await judge(options, self, lock);
  if (!judgement.isGone) throw new DataFolderInUse(options.dataDir, judgement.pid, judgement.why);
}

async function judge(options: LockOptions, self: ProcessIdentity, lock: string): Promise<Judgement> {
  const override = "If you are sure that no other mkt uses it, start with --force-unlock.";
  const holder = await readHolder(options, lock);
  // Removed by a process with a higher lock; the link will fail or the second look will find that lock.
  if (holder === "absent") return { isGone: true };
  if (holder === "unreadable") return { isGone: false, why: `its lock ${lock} cannot be read. ${override}` };
  const { pid } = holder;
  if (holder.released === true) return { isGone: true };
  if (holder.host !== self.host) {
    return { isGone: false, pid, why: `process ${pid} on host ${holder.host} may still run. ${override}` };
  }
  if (holder.boot !== self.boot) return { isGone: true };
  if (holder.pidNamespace !== self.pidNamespace) {
    return { isGone: false, pid, why: `process ${pid} of another container may still run. ${override}` };
  }
  if ((await options.processes.findStart(pid)) !== holder.start) return { isGone: true };
  return {
    isGone: false,
    pid,
    why: `process ${pid} is running on it. Stop that one first, or name another folder with --data-dir.`,
  };
}

async function readHolder({ files, dataDir }: LockOptions, lock: string): Promise<Holder | "absent" | "unreadable"> {
  try {
    const text = (await files.readFile(join(dataDir, lock))).toString("utf8");
    return Holder.parse(JSON.parse(text));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return "absent";
    if (error instanceof SyntaxError || error instanceof z.ZodError) return "unreadable";
    throw error;
  }
}

/**
 * Removes files of earlier starts. A lock may be removed only if every holder before it is gone, because a writer that
 * was forced out looks for the lock after its own.
 */
async function sweep(options: LockOptions, self: ProcessIdentity, generation: number): Promise<void> {
  const { files, dataDir } = options;
  const names = await files.list(dataDir);
  for (const name of names.filter((one) => one.startsWith(TEMPORARY))) await removeIfThere(files, join(dataDir, name));
  for (const name of names.filter((one) => LOCK_NAME.test(one) && generationOf(one) < generation)) {
    if (!(await judge(options, self, name)).isGone) break;
    await removeIfThere(files, join(dataDir, name));
  }
}
