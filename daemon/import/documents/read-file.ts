import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { errorText } from "../../../shared/error-text.ts";
import { ImportRefused } from "../conversion/imported-provider.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";

/** For one description, from a file or an address. */
export const MAX_DESCRIPTION_BYTES = 32 * 1024 * 1024;

/** The bytes of a regular file. Throws ImportRefused: rule `file` or `size`. */
export async function readRegularFile(path: string, maxBytes = MAX_DESCRIPTION_BYTES): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = await handle.stat();
    if (!facts.isFile()) throw new ImportRefused("file", "It is no regular file.");
    if (facts.size > maxBytes) throw tooLarge(facts.size, maxBytes);
    return await handle.readFile();
  } catch (error) {
    if (error instanceof ImportRefused) throw error;
    throw new ImportRefused("file", whyUnread(error));
  } finally {
    await handle?.close();
  }
}

function whyUnread(error: unknown): string {
  const code = systemErrorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return "There is no such file.";
  if (code === "EACCES" || code === "EPERM") return "You may not read it.";
  return `It cannot be read: ${errorText(error)}.`;
}

export function tooLarge(bytes: number, maxBytes: number): ImportRefused {
  return new ImportRefused("size", `It has ${bytes} bytes; at most ${maxBytes} are read.`);
}
