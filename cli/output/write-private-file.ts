import { lstat, writeFile } from "node:fs/promises";
import { replacePrivateFile } from "../../shared/replace-file.ts";

/**
 * Writes a secret to a file that its owner alone can read, also where a file stood that others could read: a new file
 * takes its place in one step. What is no file, such as a pipe, gets the text as it is. Rejects for a link, which may lead
 * to where others read. docs/security.md, T18.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (there?.isSymbolicLink()) {
    throw new Error("it is a link, and a secret is written only to the file that is named; name the file itself");
  }
  if (there !== undefined && !there.isFile()) return writeFile(path, text);
  await replacePrivateFile(path, text);
}
