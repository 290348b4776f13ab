import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

/** A file system of its own, of a few megabytes; gone with `using`. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Uses up all the room that there is. */
  fill(): void;
  /** Gives that room back. */
  empty(): void;
  makeReadOnly(): void;
}

/** Undefined where this process may not mount one: only root may, on Linux. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = tempDir();
  const path = join(folder.path, "disk");
  mkdirSync(path);
  const options = ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", path];
  if (spawnSync("mount", options).status !== 0) {
    folder[Symbol.dispose]();
    return undefined;
  }
  const filler = join(path, "filler");
  return {
    path,
    fill() {
      const file = openSync(filler, "a");
      try {
        for (;;) writeSync(file, Buffer.alloc(4_096));
      } catch {
        // That was the last of it.
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    makeReadOnly: () => void spawnSync("mount", ["-o", "remount,ro", path]),
    [Symbol.dispose]() {
      spawnSync("umount", ["-l", path]);
      folder[Symbol.dispose]();
    },
  };
}
