import { setTimeout as delay } from "node:timers/promises";
import type { Files, OpenFile } from "../../files.ts";

/** Limits the bytes read per second, so that other work can use the disk. */
export class Pace {
  readonly #bytesPerSecond: number;
  readonly #stopping: AbortSignal;
  #freeAtMs = 0;

  constructor(bytesPerSecond: number, stopping: AbortSignal) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#stopping = stopping;
  }

  /** Resolves when this many more bytes may be read. Rejects with the signal's reason when it is aborted. */
  async take(bytes: number): Promise<void> {
    const now = performance.now();
    const waitMs = Math.max(0, this.#freeAtMs - now);
    this.#freeAtMs = now + waitMs + (bytes / this.#bytesPerSecond) * 1_000;
    this.#stopping.throwIfAborted();
    // Also with nothing to wait for: others get their turn between two pieces.
    await delay(waitMs, undefined, { signal: this.#stopping, ref: false }).catch(() => this.#stopping.throwIfAborted());
  }
}

/** The same files with a limited read rate; all other calls are unchanged. */
export function pacedFiles(files: Files, pace: Pace): Files {
  const paced = (file: OpenFile): OpenFile => ({
    ...file,
    async read(into, position) {
      await pace.take(into.length);
      return await file.read(into, position);
    },
  });
  return {
    ...files,
    openForReading: async (path) => paced(await files.openForReading(path)),
    async readFile(path) {
      await pace.take((await files.stat(path)).size);
      return await files.readFile(path);
    },
  };
}
