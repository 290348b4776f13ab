import { randomBytes } from "node:crypto";
import { lstat, open, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Writes a secret to a file that its owner alone can read, also where a file stood that others could read: a new file
 * takes its place in one step. What is no file, such as a pipe, gets the text as it is. Rejects for a link, which may lead
 * to where others read. Security design, T18.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (there?.isSymbolicLink()) {
    throw new Error("it is a link, and a secret is written to no other place than the one named; name the file itself");
  }
  if (there !== undefined && !there.isFile()) return writeFile(path, text);

  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
