import { type BundledReadings, findBundledCategories, findBundledReading } from "./bundled-readings.ts";
import type { CatalogFolder } from "./catalog-folder.ts";
import type { CategoryData, CategoryFileContent } from "../categories/categories-file.ts";
import type { CategoryTree } from "../categories/category-tree.ts";
import { type FoldedReading, foldReading, unfoldReading } from "./folded-reading.ts";
import { type Inspection, type ProviderFile, readProviderFile } from "./provider-file.ts";
import type { ProviderFileCache } from "./provider-file-cache.ts";
import type { ReadingProcesses } from "./reading-processes.ts";

/** A category tree and the data it was made from. */
export interface KnownCategories {
  /** Of the files. */
  readonly stamp: string;
  readonly data: CategoryData;
  /** SHA-256 (hex) of the data. Files that are wrong leave the data as it was. */
  readonly digest: string;
  readonly tree: CategoryTree;
}

export interface FileToRead {
  readonly file: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
  readonly folder: CatalogFolder;
}

export interface ProviderFileReaderParts {
  /** Has access to all files, which are therefore read in this process. */
  readonly inspect?: Inspection | undefined;
  readonly cache?: ProviderFileCache | undefined;
  readonly processes?: ReadingProcesses | undefined;
  /** What the build read; only for files of the bundled folder that are unchanged. */
  readonly bundled?: BundledReadings | undefined;
}

/**
 * Reads a provider's file. One that came with the program is as the build read it; what the cache has is taken from there.
 * Otherwise one that came with the program is read in this process, and one that anybody else may have written in a separate
 * process, however small it is. docs/security.md, T27.
 */
export class ProviderFileReader {
  readonly #parts: ProviderFileReaderParts;

  constructor(parts: ProviderFileReaderParts) {
    this.#parts = parts;
  }

  async read({ file, stamp, folder }: FileToRead, categories: KnownCategories): Promise<ProviderFile> {
    const { cache, processes, inspect, bundled } = this.#parts;
    if (folder.bundled === true && inspect === undefined) {
      const built = unfoldKept(findBundledReading(bundled, file, categories.digest));
      if (built !== undefined) return built;
    }
    const context = [folder.bundled === true, folder.trusted === true];
    const key = { file, stamp: JSON.stringify([stamp, categories.digest, ...context]) };
    const kept = unfoldKept(await cache?.find(key));
    // Only the folder decides whether a file is trusted.
    if (kept !== undefined && (kept.loaded?.provider.trusted ?? isTrusted(folder)) === isTrusted(folder)) return kept;
    if (processes !== undefined && inspect === undefined && folder.bundled !== true) {
      const read = await processes.read({ file, folder, categories });
      if (mayBeKept(read)) cache?.put(key, read);
      return unfoldReading(read);
    }
    const read = await readProviderFile(file, { folder, tree: categories.tree, inspect });
    if (mayBeKept(read)) cache?.put(key, foldReading(read));
    return read;
  }

  /** What the build read from a category file that came with the program; undefined when it is no longer that file. */
  builtCategories(file: string): CategoryFileContent | undefined {
    const { inspect, bundled } = this.#parts;
    return inspect === undefined ? findBundledCategories(bundled, file) : undefined;
  }

  /** Removes cached readings of all other files. */
  async retain(files: Iterable<string>): Promise<void> {
    await this.#parts.cache?.retain(files);
  }

  /** Called when nothing will be read for a while. */
  rest(): void {
    this.#parts.processes?.rest();
  }
}

function isTrusted({ bundled, trusted }: CatalogFolder): boolean {
  return bundled === true || trusted === true;
}

/** A damaged entry counts as absent. */
function unfoldKept(kept: FoldedReading | undefined): ProviderFile | undefined {
  try {
    return kept === undefined ? undefined : unfoldReading(kept);
  } catch {
    return undefined;
  }
}

/** Problems that a busy machine or a full disk may have caused are not cached: the next start tries again. */
const PASSING: ReadonlySet<string> = new Set(["file", "size"]);

function mayBeKept({ problems }: Pick<ProviderFile, "problems">): boolean {
  return !problems.some(({ rule }) => PASSING.has(rule));
}
