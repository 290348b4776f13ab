import { join, resolve } from "node:path";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { nodeFiles, type Files } from "../storage/files.ts";
import { unusable } from "../storage/journal/folder/data-folder.ts";
import { acquireLock, type GenerationLock } from "../storage/journal/folder/generation-lock.ts";
import { systemProcesses } from "../storage/journal/folder/process-table.ts";
import { DataFolderUnusable } from "../storage/storage-errors.ts";
import { BlobCheck } from "./check-blobs.ts";
import { checkDocuments, checkFolder, checkFormatFile } from "./check-folder.ts";
import { checkJournal, type JournalCheck } from "./check-journal.ts";
import { copyFolder } from "./copy-folder.ts";
import { type Check, CHECKS, type Finding, Findings } from "./finding.ts";
import { mendWords, needsPerson, repair } from "./repair.ts";

export interface DoctorRequest {
  readonly dataDir: string;
  /** Repairs what can be repaired, after copying everything to this folder. Absent: nothing is changed. */
  readonly copyTo?: string;
}

export interface ReportedFinding extends Omit<Finding, "mend"> {
  /** What a repair does about it; absent: nothing, since a person must fix it. */
  readonly repair?: string;
}

export interface DoctorReport {
  /** Or the database, without its password. */
  readonly dataDir: string;
  /** One row for each check. */
  readonly checks: readonly { readonly check: Check; readonly looked: string; readonly findings: number }[];
  readonly findings: readonly ReportedFinding[];
  /** Something is wrong that cannot be repaired without losing acknowledged data, so nothing is repaired. */
  readonly needsPerson: boolean;
  /** The repairs in words; after them everything was checked again. */
  readonly repaired: readonly string[];
  /** The folder to which everything was copied first. */
  readonly copy?: string;
  /** 0: nothing is wrong; 65: something is. */
  readonly exitCode: 0 | 65;
}

/**
 * Checks everything that a data folder promises, and changes nothing unless it is asked to repair. Takes the folder's
 * lock: rejects with `DataFolderInUse` while a daemon runs on it, with `DataFolderUnusable` when it is not a data
 * folder, and with `CopyRefused` when it cannot be copied first. Source: docs/storage.md, "What the doctor checks", and
 * P4.
 */
export async function examine({ dataDir, copyTo }: DoctorRequest): Promise<DoctorReport> {
  const path = resolve(dataDir);
  const files = nodeFiles();
  await checkIsDataFolder(files, path);
  const lock = await lockFolder(files, path, copyTo === undefined);
  try {
    const first = await lookAtAll(files, path);
    if (copyTo === undefined || !first.findings.all.some(({ mend }) => mend !== undefined))
      return reportOf(path, first.findings);
    if (first.findings.all.some(needsPerson)) return reportOf(path, first.findings);
    const copy = resolve(copyTo);
    await copyFolder(path, copy);
    const repaired = await repair(files, path, first.findings.all, first.journal);
    return { ...reportOf(path, (await lookAtAll(files, path)).findings), repaired, copy };
  } finally {
    await lock?.release().catch(() => undefined);
  }
}

/** Works without a lock where nobody can write, such as a backup on a read-only disk. */
async function lockFolder(files: Files, dataDir: string, onlyLooks: boolean): Promise<GenerationLock | undefined> {
  const processes = systemProcesses();
  try {
    return await acquireLock({ files, processes, dataDir, logFolder: join(dataDir, "log"), forceUnlock: false });
  } catch (error) {
    if (onlyLooks && systemErrorCode(error) === "EROFS") return undefined;
    throw unusable(dataDir, error);
  }
}

interface Examined {
  readonly findings: Findings;
  readonly journal: JournalCheck;
}

async function lookAtAll(files: Files, dataDir: string): Promise<Examined> {
  const findings = new Findings();
  const parts = { files, dataDir, findings };
  const names = await checkFolder(parts);
  await checkFormatFile(parts);
  await checkDocuments(parts);
  const blobs = new BlobCheck();
  const journal = await checkJournal({ ...parts, onLine: (line) => blobs.take(line) });
  await blobs.end(files, dataDir, findings, names, journal.read !== undefined);
  return { findings, journal };
}

export function reportOf(dataDir: string, findings: Findings): DoctorReport {
  const checks = CHECKS.map((check) => ({
    check,
    looked: findings.looked.get(check) ?? "nothing",
    findings: findings.countOf(check),
  }));
  return {
    dataDir,
    checks,
    findings: findings.all.map(toReported),
    needsPerson: findings.all.some(needsPerson),
    repaired: [],
    exitCode: findings.hasDamage ? 65 : 0,
  };
}

function toReported({ mend, ...finding }: Finding): ReportedFinding {
  return mend === undefined ? finding : { ...finding, repair: mendWords(mend) };
}

/** A misspelt folder must not be created, and an unrelated one must not be locked. */
async function checkIsDataFolder(files: Files, dataDir: string): Promise<void> {
  try {
    const names = await files.list(dataDir);
    if (names.includes("log") || names.includes("FORMAT")) return;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw unusable(dataDir, error);
  }
  throw new DataFolderUnusable(dataDir, "no daemon was ever started on it. Name another with --data-dir.");
}
