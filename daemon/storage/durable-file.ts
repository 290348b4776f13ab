import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { removeIfThere, writeFully, type Files, type OpenFile } from "./files.ts";

const TEMPORARY = ".new-";

/**
 * Writes a file atomically: when this resolves, content and name are on the disk, and any former file of that name is
 * replaced. Source: docs/storage.md, "Outputs" and "Indexes and snapshots".
 */
export async function writeDurably(
  files: Files,
  folder: string,
  name: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const temporary = join(folder, `${name}${TEMPORARY}${randomUUID()}`);
  try {
    const file = await files.create(temporary);
    try {
      await writeAll(file, content);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(temporary, join(folder, name));
  } catch (error) {
    await removeIfThere(files, temporary).catch(() => undefined);
    throw error;
  }
  await files.syncDirectory(folder);
}

async function writeAll(file: OpenFile, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  if (content instanceof Uint8Array) return writeFully(file, content, 0);
  let end = 0;
  for await (const bytes of content) {
    await writeFully(file, bytes, end);
    end += bytes.length;
  }
}

/** Removes the temporary files of a process that died in `writeDurably`. */
export async function removeTemporaries(files: Files, folder: string): Promise<void> {
  const left = (await files.list(folder)).filter((name) => name.includes(TEMPORARY));
  for (const name of left) await removeIfThere(files, join(folder, name));
}
