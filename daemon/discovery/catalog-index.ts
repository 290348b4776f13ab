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

interface Building {
  readonly entries: readonly CatalogEntry[];
  readonly steps: Generator<void, SearchIndex>;
}

/** Whoever asks before it is prepared goes on with what was begun: nothing is built twice. */
export function createCatalogIndex(entries: () => readonly CatalogEntry[]): CatalogIndex {
  let built: IndexedCatalog | undefined;
  let building: Building | undefined;
  let preparing: Promise<void> = Promise.resolve();

  function begin(now: readonly CatalogEntry[]): Building {
    if (building?.entries !== now) building = { entries: now, steps: SearchIndex.buildInSteps(documentsOf(now)) };
    return building;
  }

  /** What came of the last step; undefined as long as there are more. */
  function advance({ entries: now, steps }: Building): IndexedCatalog | undefined {
    const step = steps.next();
    if (step.done !== true) return undefined;
    built = { entries: now, index: step.value };
    building = undefined;
    return built;
  }

  async function prepareNow(): Promise<void> {
    const now = entries();
    if (built?.entries === now) return;
    const own = begin(now);
    // Somebody else may have ended it, or begun with a newer catalog.
    while (building === own && advance(own) === undefined) await nextTurn();
  }

  return {
    current() {
      const now = entries();
      if (built?.entries === now) return built;
      // Whoever changes a large catalog has it prepared; until then the one before answers.
      if (built !== undefined && now.length > SMALL) return built;
      const own = begin(now);
      for (;;) {
        const done = advance(own);
        if (done !== undefined) return done;
      }
    },
    async prepare() {
      preparing = preparing.catch(() => {}).then(prepareNow);
      await preparing;
    },
  };
}
