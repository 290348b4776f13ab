import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { toSearchDocument } from "./search-document.ts";
import { SearchIndex } from "./search-index.ts";

/** The entries of a catalog with their index: document numbers are places in `entries`. */
export interface IndexedCatalog {
  readonly entries: readonly CatalogEntry[];
  readonly index: SearchIndex;
}

/** The index of the catalog as it is now: built when first asked for, and again when there is another list of entries. */
export function createCatalogIndex(entries: () => readonly CatalogEntry[]): () => IndexedCatalog {
  let built: IndexedCatalog | undefined;
  return () => {
    const current = entries();
    if (built?.entries !== current) {
      built = { entries: current, index: SearchIndex.build(current.map(toSearchDocument)) };
    }
    return built;
  };
}
