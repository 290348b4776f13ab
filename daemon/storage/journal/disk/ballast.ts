import { randomFillSync } from "node:crypto";
import { join } from "node:path";
import { systemErrorCode } from "../../../../shared/system-error-code.ts";
import { removeIfThere, writeFully, type Files } from "../../files.ts";

/** Space reserved so that runs can end on a full disk. Source: docs/storage.md, "A full disk". */
export const BALLAST_NAME = "ballast";

const CHUNK_BYTES = 1_024 * 1_024;

/** True if the disk, or the owner's quota, is full. */
export function isNoRoom(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(systemErrorCode(error) ?? "");
}

/**
 * Writes and flushes a file of this many bytes in the data folder, unless it exists; 0 removes it. `margin`: this many
 * more bytes are written as a test and freed again. The content is random, so that the file takes its whole space even
 * on a file system that compresses or skips zeros. If it does not fit, it is removed, and this rejects with the disk's
 * error.
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

/** Frees its space. */
export async function dropBallast(files: Files, dataDir: string): Promise<void> {
  await removeIfThere(files, join(dataDir, BALLAST_NAME));
  // Some file systems free the blocks only after the removal of the name is on the disk.
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
