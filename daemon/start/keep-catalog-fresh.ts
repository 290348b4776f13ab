import { dirname } from "node:path";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogProblem } from "../catalog/problems/catalog-problem.ts";
import { type FolderWatch, watchFolders } from "../catalog/reading/watch-folders.ts";
import type { Discovery } from "../discovery/discover.ts";
import type { CatalogIndex } from "../discovery/index/catalog-index.ts";
import type { CurrentThesaurus } from "../discovery/thesaurus/compile-thesaurus.ts";
import type { SearchServices } from "../discovery/services/search-services.ts";
import type { Logger } from "../base/logger.ts";

export interface FreshnessParts {
  readonly catalog: Catalog;
  readonly index: CatalogIndex;
  readonly discovery: Pick<Discovery, "prepare">;
  readonly thesaurus: Pick<CurrentThesaurus, "prepare">;
  readonly searchServices?: Pick<SearchServices, "follow">;
  readonly logger: Logger;
  /** Stops reading; nothing is read afterwards. */
  readonly endReading: () => Promise<void>;
}

/**
 * Reloads catalog files when they change, and logs each of their problems once. docs/manifest.md, "Reloading". The end
 * does not wait for files that are being read.
 */
export function keepCatalogFresh(parts: FreshnessParts): FolderWatch {
  const { catalog, index, discovery, thesaurus, searchServices, logger, endReading } = parts;
  let told = tell(new Set());
  let isClosed = false;

  /** Logs problems that are new, and returns all present ones. */
  function tell(before: ReadonlySet<string>): ReadonlySet<string> {
    const now = new Map(catalog.problems().map((problem) => [JSON.stringify(problem), problem]));
    for (const [key, problem] of now) if (!before.has(key)) logger.warn({ problem }, whatItTakesDown(problem));
    return new Set(now.keys());
  }

  function whatItTakesDown({ takesDown }: CatalogProblem): string {
    return takesDown === "nothing" ? "a catalog file has a problem" : "a catalog file cannot be used";
  }

  async function prepare(): Promise<void> {
    await thesaurus.prepare();
    await index.prepare();
    // Nothing waits for it: neither the next change, nor the end, nor a query.
    discovery.prepare().catch(tellUnprepared);
  }

  function tellUnprepared(error: unknown): void {
    logger.error({ err: error }, "the search index could not be prepared");
  }

  searchServices?.follow(catalog.entries());
  // Prepared now, so that the first query need not wait for it.
  prepare().catch(tellUnprepared);
  const watching = watchFolders({
    folders: [...catalog.folders, ...(catalog.ownerPrices === undefined ? [] : [dirname(catalog.ownerPrices.file)])],
    async onChange() {
      try {
        if (!(await catalog.reload()) || isClosed) return;
        logger.info({ endpoints: catalog.entries().length }, "the catalog changed");
        told = tell(told);
        searchServices?.follow(catalog.entries());
        await prepare();
      } catch (error) {
        if (isClosed) return;
        logger.error({ err: error }, "the catalog could not be reloaded; the last version stays in use");
      }
    },
  });
  return {
    async close() {
      isClosed = true;
      const closed = watching.close();
      await endReading();
      await closed;
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
