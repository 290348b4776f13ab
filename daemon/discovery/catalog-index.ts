import { setImmediate as nextTurn } from "node:timers/promises";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { type SearchDocument, toSearchDocument } from "./search-document.ts";
import { SearchIndex } from "./search-index.ts";

/** The entries of a catalog with their index: document numbers are places in `entries`. */
export interface IndexedCatalog {
  readonly entries: readonly CatalogEntry[];
  readonly index: SearchIndex;
}

/** The index of the catalog as it is now, or as it was a moment ago. */
export interface CatalogIndex {
  /** Builds it when there is none yet, or when the catalog has changed and is small. */
  current(): IndexedCatalog;
  /** Builds the index of now while other work goes on. */
  prepare(): Promise<void>;
}

/** Up to so many endpoints are indexed in less time than a person notices. */
const SMALL = 2_000;

function* documentsOf(entries: readonly CatalogEntry[]): Iterable<SearchDocument> {
  for (const entry of entries) yield toSearchDocument(entry);
}

export function createCatalogIndex(entries: () => readonly CatalogEntry[]): CatalogIndex {
  let built: IndexedCatalog | undefined;
  let preparing: Promise<void> = Promise.resolve();

  async function prepareNow(): Promise<void> {
    const now = entries();
    if (built?.entries === now) return;
    const steps = SearchIndex.buildInSteps(documentsOf(now));
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        built = { entries: now, index: step.value };
        return;
      }
      await nextTurn();
    }
  }

  return {
    current() {
      const now = entries();
      if (built?.entries === now) return built;
      // Whoever changes a large catalog has it prepared; until then the one before answers.
      if (built !== undefined && now.length > SMALL) return built;
      built = { entries: now, index: SearchIndex.build(documentsOf(now)) };
      return built;
    },
    async prepare() {
      preparing = preparing.then(prepareNow);
      await preparing;
    },
  };
}
