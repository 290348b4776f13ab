import { appendFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { unwritable } from "./unwritable.ts";

/** A file that is open, and its name for people. */
export interface NamedFile {
  readonly file: FileHandle;
  readonly path: string;
}

/**
 * Appends texts to a file one after the other, so that none is within another one. After a failure, as of a full disk, all
 * further ones fail too: what was written of the failed one stays at the end, where continuing cuts it off.
 *
 * Each is written at once: to wake a thread for it takes ten times as long as to hand a short text to the system.
 */
export function appendTo({ file, path }: NamedFile): (text: string) => Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  return async (text) => {
    if (failure !== undefined) throw failure.error;
    try {
      appendFileSync(file.fd, text);
    } catch (error) {
      failure = { error: unwritable(path, error) };
      throw failure.error;
    }
  };
}

/** Rejects where what was written did not reach the disk. */
export async function closeFlushed({ file, path }: NamedFile): Promise<void> {
  try {
    await file.sync();
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    await file.close();
  }
}
