import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FoldedReading } from "./folded-reading.ts";

/** What a cached reading depends on beside the program: when any of it differs, the file is read again. */
export interface ReadingKey {
  readonly file: string;
  /** Of the file and of the categories. */
  readonly stamp: string;
}

/**
 * Provider files as they were read and checked, so that the next start need not do it again: reading YAML and checking
 * takes a hundred times as long as loading the result. It is only a cache: losing it does no harm, and a damaged entry
 * counts as absent.
 */
export interface ProviderFileCache extends AsyncDisposable {
  find(key: ReadingKey): Promise<FoldedReading | undefined>;
  /** Writes in the background. */
  put(key: ReadingKey, read: FoldedReading): void;
  /** Removes the entries of all other files. */
  retain(files: Iterable<string>): Promise<void>;
  /** Resolves when all writing is done. */
  close(): Promise<void>;
}

/**
 * `build`: identifies the build of the program, since another build may read files differently. `dir` is created with
 * the first entry.
 */
export function openProviderFileCache({ dir, build }: { dir: string; build: string }): ProviderFileCache {
  let writing: Promise<void> = Promise.resolve();

  async function write(key: ReadingKey, read: FoldedReading): Promise<void> {
    const path = join(dir, nameOf(key.file));
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.tmp`, JSON.stringify({ build, ...key, read: read }), { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  }

  return {
    async find({ file, stamp }) {
      try {
        const kept = JSON.parse(await readFile(join(dir, nameOf(file)), "utf8")) as Kept;
        const isSame = kept.build === build && kept.file === file && kept.stamp === stamp;
        return isSame ? kept.read : undefined;
      } catch {
        return undefined;
      }
    },
    put(key, read) {
      writing = writing.then(async () => await write(key, read).catch(() => {}));
    },
    async retain(files) {
      const names = new Set([...files].map(nameOf));
      const found = await readdir(dir).catch(() => []);
      // Includes files that are being written.
      const kept = found.filter((name) => KEPT.test(name));
      const others = kept.filter((name) => !names.has(name.replace(/\.tmp$/, "")));
      await Promise.all(others.map((name) => rm(join(dir, name), { force: true })));
    },
    close: () => writing,
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

interface Kept extends ReadingKey {
  readonly build: string;
  readonly read: FoldedReading;
}

/** Other builds keep theirs in the same folder. */
const KEPT = /^[0-9a-f]{64}\.json(?:\.tmp)?$/;

function nameOf(file: string): string {
  return `${createHash("sha256").update(file).digest("hex")}.json`;
}
