import type { FileHandle } from "node:fs/promises";
import { systemErrorCode } from "../../../shared/system-error-code.ts";

/**
 * Appends texts to a file one after the other, so that none is within another one. After a failure, as of a full disk, all
 * further ones fail too: what was written of the failed one stays at the end, where continuing cuts it off.
 */
export function inOrder(file: FileHandle): (text: string) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (text) => {
    last = last.then(() => file.appendFile(text));
    return last;
  };
}

/** Rejects where what was written did not reach the disk. */
export async function closeFlushed(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } catch (error) {
    // A device or a pipe cannot be flushed.
    if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP"].includes(systemErrorCode(error) ?? "")) throw error;
  } finally {
    await file.close();
  }
}
