import { constants } from "node:fs";
import { copyFile, mkdir, open, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isWithin, realPathToBe } from "../../shared/real-path.ts";
import { errorText } from "../../shared/error-text.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/** The copy cannot be made, so nothing is repaired. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";
}

/**
 * Copies every file of a folder unchanged, including damage; only the owner may read the copy. It is on the disk when
 * this resolves. Rejects with `CopyRefused` when `to` is not empty or lies within `from`.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  if (isWithin(realPathToBe(resolve(from)), realPathToBe(resolve(to)))) {
    throw new CopyRefused(`${to} lies in the data folder; name one outside of it`);
  }
  try {
    await mkdir(to, { recursive: true, mode: 0o700 });
    if ((await readdir(to)).length > 0) throw new CopyRefused(`${to} is not empty; name a new folder`);
    await copyInto(from, to);
    await syncFolder(dirname(to));
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw new CopyRefused(`${to} cannot be written: ${errorText(error)}`, {
      cause: error,
    });
  }
}

async function copyInto(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target, { mode: 0o700 });
      await copyInto(source, target);
    } else if (entry.isFile()) {
      await copyDurably(source, target);
    }
  }
  await syncFolder(to);
}

async function copyDurably(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_EXCL);
  const file = await open(target, "r+");
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
