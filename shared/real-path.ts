import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The real path of a file or folder; one that does not exist yet counts as the path it will have. `path` is absolute. */
export async function realPathToBe(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isMissing(error) || parent === path) return path;
    return join(await realPathToBe(parent), basename(path));
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
