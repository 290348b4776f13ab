import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Puts a text in the place of a file in one step, so that nobody ever reads half of it; the folder is made if need be. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  // The configuration folder, where this may be the first thing, is its owner's alone.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const before = await stat(path).catch(() => undefined);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeFile(temporary, text, { flag: "wx", ...(before !== undefined && { mode: before.mode & 0o777 }) });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
