import { dirname, join } from "node:path";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { documentsOfAll, readProviders } from "./catalog-documents.ts";
import { type IndexFile, openIndexFile } from "./index-file.ts";
import { buildShardInSteps, type IndexingOptions, runAtOnce } from "./shard/build-shard.ts";

/**
 * The index of the bundled catalog that a build leaves beside it, so that no start has to make it. It serves every
 * provider whose documents are still those of the build.
 */
export function openBundledIndex(bundledDir: string): Pick<IndexFile, "load"> & BundledIndexWriter {
  // It comes with the program that reads it, and with the program's word vectors: nothing else to depend on.
  const file = openIndexFile({ path: bundledIndexFile(bundledDir), stamp: () => ["bundled"] });
  return {
    load: () => file.load(),
    async write(entries, indexing) {
      const providers = runAtOnce(readProviders(entries));
      file.save(runAtOnce(buildShardInSteps(documentsOfAll(providers, providers.keys()), indexing)));
      await file.close();
    },
  };
}

interface BundledIndexWriter {
  /** For the build: of these endpoints. */
  write(entries: readonly CatalogEntry[], indexing: IndexingOptions): Promise<void>;
}

export function bundledIndexFile(bundledDir: string): string {
  return join(dirname(bundledDir), "discovery", "bundled-index.bin");
}
