import { open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { errorText } from "../../shared/error-text.ts";
import { refusedInput } from "../core/cli-error.ts";

/**
 * Writes pieces to a file as they come and returns how many bytes there were. A file takes its place only when it is
 * whole; until then it is `<path>.part`. What is no file, such as a pipe, is written to as it is.
 */
export async function writeStreamedFile(path: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const there = await stat(path).catch(() => undefined);
  if (there !== undefined && !there.isFile()) return await writeAll(path, path, pieces);
  const part = `${path}.part`;
  try {
    const bytes = await writeAll(path, part, pieces);
    await rename(part, path).catch((cause: unknown) => refuse(path, cause));
    return bytes;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function writeAll(path: string, to: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const file: FileHandle = await open(to, "w").catch((cause: unknown) => refuse(path, cause));
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece).catch((cause: unknown) => refuse(path, cause));
      bytes += piece.length;
    }
  } finally {
    await file.close();
  }
  return bytes;
}

function refuse(path: string, cause: unknown): never {
  throw refusedInput(`${path} cannot be written: ${errorText(cause)}`);
}
