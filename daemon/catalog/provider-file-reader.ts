import type { CatalogFolder } from "./catalog-folder.ts";
import type { CategoryData } from "./categories-file.ts";
import type { CategoryTree } from "./categories.ts";
import { type FoldedReading, foldReading, unfoldReading } from "./folded-reading.ts";
import { type Inspection, type ProviderFile, readProviderFile } from "./provider-file.ts";
import type { ProviderFileCache } from "./provider-file-cache.ts";
import type { ReadingThreads } from "./reading-threads.ts";

/** A category tree with what it was made of. */
export interface KnownCategories {
  /** Of the files. */
  readonly stamp: string;
  readonly data: CategoryData;
  /** Of the data: SHA-256 (hex). Files that are wrong leave the data as it was. */
  readonly digest: string;
  readonly tree: CategoryTree;
}

export interface FileToRead {
  readonly file: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
  readonly bytes: number;
  readonly folder: CatalogFolder;
}

export interface ProviderFileReaderParts {
  /** Sees files that are read here, not those that the cache has or a thread reads. */
  readonly inspect?: Inspection | undefined;
  readonly cache?: ProviderFileCache | undefined;
  readonly threads?: ReadingThreads | undefined;
}

/** Smaller files are read in less time than it takes to ask a thread. */
const FOR_THREADS_BYTES = 32 * 1024;

/** Reads a provider's file in the cheapest way: as it was kept, on a thread when it is large, else here and now. */
export class ProviderFileReader {
  readonly #parts: ProviderFileReaderParts;

  constructor(parts: ProviderFileReaderParts) {
    this.#parts = parts;
  }

  async read({ file, stamp, bytes, folder }: FileToRead, categories: KnownCategories): Promise<ProviderFile> {
    const { cache, threads, inspect } = this.#parts;
    const context = [folder.bundled === true, folder.trusted === true];
    const key = { file, stamp: JSON.stringify([stamp, categories.digest, ...context]) };
    const kept = unfoldKept(await cache?.find(key));
    // Whose word a file is, its folder alone says.
    if (kept !== undefined && (kept.loaded?.provider.trusted ?? isTrusted(folder)) === isTrusted(folder)) return kept;
    if (threads !== undefined && inspect === undefined && bytes >= FOR_THREADS_BYTES) {
      const read = await threads.read({ file, folder, categories: categories.data });
      if (mayBeKept(read)) cache?.put(key, read);
      return unfoldReading(read);
    }
    const read = await readProviderFile(file, { folder, tree: categories.tree, inspect });
    if (mayBeKept(read)) cache?.put(key, foldReading(read));
    return read;
  }

  /** Lets go of what is kept of files that are none of these. */
  async retain(files: Iterable<string>): Promise<void> {
    await this.#parts.cache?.retain(files);
  }

  /** Nothing is read for a while. */
  async rest(): Promise<void> {
    await this.#parts.threads?.rest();
  }
}

function isTrusted({ bundled, trusted }: CatalogFolder): boolean {
  return bundled === true || trusted === true;
}

/** What is damaged counts as its absence. */
function unfoldKept(kept: FoldedReading | undefined): ProviderFile | undefined {
  try {
    return kept === undefined ? undefined : unfoldReading(kept);
  } catch {
    return undefined;
  }
}

/** Not what a busy machine or a full one may have brought about: the next start tries again. */
const PASSING: ReadonlySet<string> = new Set(["file", "size"]);

function mayBeKept({ problems }: Pick<ProviderFile, "problems">): boolean {
  return !problems.some(({ rule }) => PASSING.has(rule));
}
