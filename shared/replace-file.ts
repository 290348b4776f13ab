import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Puts a new file in the place of this one in one step; readable by its owner alone from the first byte, and on the disk
 * before it has the name. The folder must exist. Security design, T18.
 */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  await replace(path, 0o600, async (file) => {
    await file.writeFile(text);
    await file.sync();
  });
}

/**
 * Puts a text in the place of a file in one step, so that nobody ever reads half of it. The file keeps its rights; the
 * folder is made if need be, its owner's alone. For what can be made again: it is not waited for the disk.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const before = await stat(path).catch(() => undefined);
  await replace(path, 0o666, async (file) => {
    if (before !== undefined) await file.chmod(before.mode & 0o777);
    await file.writeFile(text);
  });
}

async function replace(path: string, mode: number, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await fill(file);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
