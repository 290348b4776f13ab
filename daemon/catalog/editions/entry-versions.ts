import { createHash } from "node:crypto";
import type { CatalogEntry, CatalogProvider } from "../entries/catalog-entry.ts";
import type { LoadedProvider } from "../reading/provider-file.ts";
import { type CatalogSource, parseManifestBytes } from "../parsing/read-manifest-file.ts";
import type { VersionArchive } from "./version-archive.ts";

/** The versions of endpoints that runs need: each run continues under its own, whatever happens to the file. */
export interface EntryVersions {
  /**
   * Makes sure that this version can be read after a restart. Best called before a run that may outlive the process;
   * does nothing for a version whose file changed while it was being read.
   */
  keep(provider: CatalogProvider): Promise<void>;
  /**
   * The endpoint under that version, otherwise as it is now; undefined when there is neither. Throws when the kept
   * version is damaged.
   */
  find(provider: string, path: string, manifestHash: string): Promise<CatalogEntry | undefined>;
  /** Removes all versions but these. */
  retain(hashes: ReadonlySet<string>): Promise<void>;
}

/** What this needs of the catalog: what is served now, and a way to load an earlier version. */
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

  /** From memory: the file on disk may be a newer or broken one by now, while the version before it is still served. */
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
