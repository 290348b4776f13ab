import { join } from "node:path";
import { systemErrorCode } from "../../../../shared/system-error-code.ts";
import { isOutOfDescriptors, readFully, type Files, type OpenFile } from "../../files.ts";

/** Two files per segment: enough for 1,600,000 runs. They are closed when descriptors run short. */
const MAX_OPEN = 512;

interface Pooled {
  readonly opening: Promise<OpenFile>;
  users: number;
}

/** Keeps the most recently used files of one folder open for reading, up to a fixed number of unused ones. */
export class FilePool {
  readonly #files: Files;
  readonly #folder: string;
  readonly #maxOpen: number;
  /** Least recently used first. */
  readonly #open = new Map<string, Pooled>();

  constructor(files: Files, folder: string, maxOpen = MAX_OPEN) {
    this.#maxOpen = maxOpen;
    this.#files = files;
    this.#folder = folder;
  }

  pathOf(name: string): string {
    return join(this.#folder, name);
  }

  /** Reads exactly `length` bytes, or fewer if the file ends before; undefined if there is no such file. */
  async read(name: string, offset: number, length: number): Promise<Buffer | undefined> {
    const pooled = this.#take(name);
    try {
      return await readFully(await pooled.opening, offset, length);
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") return undefined;
      throw error;
    } finally {
      pooled.users -= 1;
      if (pooled.users === 0 && this.#open.get(name) !== pooled) await closeQuietly(pooled);
      await this.#shrink();
    }
  }

  /** Closes a file that was replaced or removed. */
  async forget(name: string): Promise<void> {
    const pooled = this.#open.get(name);
    this.#open.delete(name);
    // If it is being read, the reader closes it afterwards.
    if (pooled !== undefined && pooled.users === 0) await closeQuietly(pooled);
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map(closeQuietly));
  }

  #take(name: string): Pooled {
    const known = this.#open.get(name);
    this.#open.delete(name);
    const pooled = known ?? { opening: this.#openFile(name), users: 0 };
    if (known === undefined) pooled.opening.catch(() => this.#drop(name, pooled));
    pooled.users += 1;
    this.#open.set(name, pooled);
    return pooled;
  }

  /** Files that are open but unused are closed to make way for this one. */
  async #openFile(name: string): Promise<OpenFile> {
    try {
      return await this.#files.openForReading(this.pathOf(name));
    } catch (error) {
      if (!isOutOfDescriptors(error)) throw error;
      await this.#closeIdle();
      return this.#files.openForReading(this.pathOf(name));
    }
  }

  async #closeIdle(): Promise<void> {
    const idle = [...this.#open].filter(([, { users }]) => users === 0);
    for (const [name] of idle) this.#open.delete(name);
    await Promise.all(idle.map(([, pooled]) => closeQuietly(pooled)));
  }

  #drop(name: string, pooled: Pooled): void {
    if (this.#open.get(name) === pooled) this.#open.delete(name);
  }

  async #shrink(): Promise<void> {
    if (this.#open.size <= this.#maxOpen) return;
    for (const [name, pooled] of this.#open) {
      if (pooled.users > 0) continue;
      this.#open.delete(name);
      await closeQuietly(pooled);
      return;
    }
  }
}

async function closeQuietly({ opening }: Pooled): Promise<void> {
  try {
    await (await opening).close();
  } catch {
    // It could not be opened, or is closed: it uses no descriptor.
  }
}
