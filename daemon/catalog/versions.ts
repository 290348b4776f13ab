import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { CatalogEntry, CatalogProvider } from "./catalog-entry.ts";
import type { Catalog } from "./catalog.ts";
import { parseManifestBytes } from "./read-manifest-file.ts";
import type { VersionArchive } from "./version-archive.ts";

/** What a run needs of versions: its own, whatever became of the file. */
export interface EntryVersions {
  /**
   * Makes sure that this version can be read again after a restart. Best called before a run that may outlive the process;
   * does nothing where the file has changed meanwhile.
   */
  keep(provider: CatalogProvider): Promise<void>;
  /** The endpoint under that version, else as it is now; undefined when there is neither. */
  find(provider: string, path: string, manifestHash: string): Promise<CatalogEntry | undefined>;
  /** Lets go of all versions but these. */
  retain(hashes: ReadonlySet<string>): Promise<void>;
}

export function createEntryVersions(catalog: Catalog, archive: VersionArchive): EntryVersions {
  const kept = new Map<string, Promise<void>>();

  async function keepNow({ file, manifestHash }: CatalogProvider): Promise<void> {
    const bytes = await readFile(file).catch(() => undefined);
    if (bytes === undefined || createHash("sha256").update(bytes).digest("hex") !== manifestHash) return;
    await archive.put(manifestHash, { file, text: bytes.toString("utf8") });
  }

  return {
    async keep(provider) {
      const { manifestHash } = provider;
      const keeping = kept.get(manifestHash) ?? keepNow(provider);
      kept.set(manifestHash, keeping);
      await keeping.catch((error: unknown) => {
        kept.delete(manifestHash);
        throw error;
      });
    },
    async find(provider, path, manifestHash) {
      const current = catalog.find(provider, path);
      if (current?.provider.manifestHash === manifestHash) return current;
      const version = await archive.get(manifestHash);
      if (version === undefined) return current;
      const read = await parseManifestBytes(Buffer.from(version.text), version.file);
      if ("problems" in read) return current;
      return catalog.adopt(read.source)?.entries.find((entry) => entry.path === path) ?? current;
    },
    async retain(hashes) {
      await archive.retain(hashes);
      for (const hash of kept.keys()) if (!hashes.has(hash)) kept.delete(hash);
    },
  };
}
