import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { systemErrorCode } from "./system-error-code.ts";

/**
 * The real path of a file or folder; one that does not exist yet counts as the path it will have. `path` is absolute. At once:
 * every call of the CLI waits for it.
 */
export function realPathToBe(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const parent = dirname(path);
    if (systemErrorCode(error) !== "ENOENT" || parent === path) return path;
    return join(realPathToBe(parent), basename(path));
  }
}

/** Whether a path is the folder, or is inside it; both absolute. A name inside may begin with two dots. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
