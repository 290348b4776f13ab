import { randomFillSync } from "node:crypto";
import { join } from "node:path";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { removeIfThere, writeFully, type Files } from "../files.ts";

/** Room that is kept for what ends runs on a full disk. Source: docs/storage.md, "A full disk". */
export const BALLAST_NAME = "ballast";

const CHUNK_BYTES = 1_024 * 1_024;

/** The disk, or the owner's share of it, is used up. */
export function isNoRoom(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(systemErrorCode(error) ?? "");
}

/**
 * A file of so many bytes in the data folder, written and flushed, unless there is one; with 0 there is none afterwards.
 * `margin`: that many bytes more were tried out, and are free again. What it holds is random, so that a file system that
 * compresses or skips zeros gives it all its room. When it does not fit, nothing of it stays; rejects with the disk's error.
 */
export async function makeBallast(files: Files, dataDir: string, bytes: number, margin = 0): Promise<void> {
  const path = join(dataDir, BALLAST_NAME);
  if (margin === 0 && (await sizeOf(files, path)) === bytes) return;
  await dropBallast(files, dataDir);
  if (bytes + margin === 0) return;
  try {
    await writeBallast(files, path, bytes, margin);
  } catch (error) {
    await dropBallast(files, dataDir);
    throw error;
  }
  if (bytes === 0) await dropBallast(files, dataDir);
  else await files.syncDirectory(dataDir);
}

async function writeBallast(files: Files, path: string, bytes: number, margin: number): Promise<void> {
  const file = await files.create(path);
  try {
    const chunk = randomFillSync(Buffer.allocUnsafe(CHUNK_BYTES));
    const tried = bytes + margin;
    for (let at = 0; at < tried; at += chunk.length) await writeFully(file, chunk.subarray(0, tried - at), at);
    await file.sync();
    if (margin === 0) return;
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives its room back. */
export async function dropBallast(files: Files, dataDir: string): Promise<void> {
  await removeIfThere(files, join(dataDir, BALLAST_NAME));
  // Some file systems free the blocks only when the name is gone for good.
  await files.syncDirectory(dataDir);
}

async function sizeOf(files: Files, path: string): Promise<number> {
  try {
    return (await files.stat(path)).size;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return 0;
    throw error;
  }
}
