import { createHash } from "node:crypto";
import type { CatalogEntry, CatalogProvider } from "../entries/catalog-entry.ts";
import type { LoadedProvider } from "../reading/provider-file.ts";
import { type CatalogSource, parseManifestBytes } from "../parsing/read-manifest-file.ts";
import type { VersionArchive } from "./version-archive.ts";

/** What a run needs of versions: its own, whatever became of the file. */
export interface EntryVersions {
  /**
   * Makes sure that this version can be read again after a restart. Best called before a run that may outlive the process;
   * does nothing for a version whose file changed just as it was read.
   */
  keep(provider: CatalogProvider): Promise<void>;
  /** The endpoint under that version, else as it is now; undefined when there is neither. Throws when what was kept is damaged. */
  find(provider: string, path: string, manifestHash: string): Promise<CatalogEntry | undefined>;
  /** Lets go of all versions but these. */
  retain(hashes: ReadonlySet<string>): Promise<void>;
}

/** Of the catalog: what is served now, and how an earlier version is taken up again. */
export interface VersionedCatalog {
  find(provider: string, path: string): CatalogEntry | undefined;
  textOf(provider: CatalogProvider): string | undefined;
  adopt(source: CatalogSource): LoadedProvider | undefined;
}

export function createEntryVersions(catalog: VersionedCatalog, archive: VersionArchive): EntryVersions {
  const kept = new Map<string, Promise<void>>();
  /** Earlier versions by hash: many runs may have begun under one. */
  const adopted = new Map<string, Promise<LoadedProvider | undefined>>();

  async function adopt(manifestHash: string): Promise<LoadedProvider | undefined> {
    const version = await archive.get(manifestHash);
    if (version === undefined) return undefined;
    const read = await parseManifestBytes(Buffer.from(version.text), version.file);
    if ("problems" in read) return undefined;
    if (read.source.hash !== manifestHash)
      throw new Error(`what was kept as version ${manifestHash} is not that version`);
    return catalog.adopt(read.source);
  }

  /** From memory: by now the file may be another one, or broken, while the version before it is served. */
  async function keepNow(provider: CatalogProvider): Promise<void> {
    const { file, manifestHash } = provider;
    const text = catalog.textOf(provider);
    if (text === undefined || createHash("sha256").update(text).digest("hex") !== manifestHash) return;
    await archive.put(manifestHash, { file, text });
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
      const version = adopted.get(manifestHash) ?? adopt(manifestHash);
      adopted.set(manifestHash, version);
      return (await version)?.entries.find((entry) => entry.path === path) ?? current;
    },
    async retain(hashes) {
      await archive.retain(hashes);
      for (const hash of kept.keys()) if (!hashes.has(hash)) kept.delete(hash);
    },
  };
}
