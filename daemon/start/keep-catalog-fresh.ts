import { dirname, join } from "node:path";
import { RECORDS } from "../import/import-folder.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogProblem } from "../catalog/problems/catalog-problem.ts";
import type { CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import { ROUTES_FOLDER } from "../catalog/reading/catalog-folder.ts";
import { type FolderWatch, watchFolders } from "../catalog/reading/watch-folders.ts";
import type { Discovery } from "../discovery/discover.ts";
import type { CatalogIndex } from "../discovery/index/catalog-index.ts";
import type { CurrentThesaurus } from "../discovery/thesaurus/compile-thesaurus.ts";
import type { SearchServices } from "../discovery/services/search-services.ts";
import type { Logger } from "../base/logger.ts";

/**
 * Whoever started the daemon usually wants something else first, and is served first. A query that comes earlier compiles
 * the thesaurus and calibrates at once. So several changes in a row cost one calibration.
 */
const CALIBRATE_AFTER_MS = 5_000;

export interface FreshnessParts {
  readonly catalog: Catalog;
  readonly index: CatalogIndex;
  readonly discovery: Pick<Discovery, "prepare">;
  readonly thesaurus: Pick<CurrentThesaurus, "prepare">;
  readonly searchServices?: Pick<SearchServices, "follow">;
  /** Follows what is accepted or seen of tools of MCP servers. */
  readonly toolMarks?: { refresh(providers: readonly CatalogProvider[]): Promise<void> };
  readonly logger: Logger;
  readonly onChanged?: () => void;
  /** Stops reading; nothing is read afterwards. */
  readonly endReading: () => Promise<void>;
  readonly calibrateAfterMs?: number;
}

/**
 * Reloads catalog files when they change, and logs each of their problems once. docs/manifest.md, "Reloading". The end
 * does not wait for files that are being read.
 */
export function keepCatalogFresh(parts: FreshnessParts): FolderWatch {
  const { catalog, index, discovery, thesaurus, searchServices, toolMarks, logger, onChanged, endReading } = parts;
  const { calibrateAfterMs = CALIBRATE_AFTER_MS } = parts;
  let told = tell(new Set());
  let isClosed = false;
  let calibrating: NodeJS.Timeout | undefined;

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
    await index.prepare();
    if (!isClosed) calibrating ??= setTimeout(() => void calibrate().catch(tellUnprepared), calibrateAfterMs).unref();
  }

  /** Nothing waits for it: neither the next change, nor the end, nor a query. */
  async function calibrate(): Promise<void> {
    calibrating = undefined;
    await thesaurus.prepare();
    if (!isClosed) await discovery.prepare();
  }

  function tellUnprepared(error: unknown): void {
    logger.error({ err: error }, "the search index could not be prepared");
  }

  searchServices?.follow(catalog.entries());
  // Prepared now, so that the first query need not wait for it.
  prepare().catch(tellUnprepared);
  const watching = watchFolders({
    folders: [
      ...catalog.folders,
      ...catalog.folders.map((folder) => join(folder, ROUTES_FOLDER)),
      ...(toolMarks === undefined ? [] : catalog.folders.map((folder) => join(folder, RECORDS))),
      ...(catalog.ownerPrices === undefined ? [] : [dirname(catalog.ownerPrices.file)]),
    ],
    async onChange() {
      try {
        const isChanged = await catalog.reload();
        if (!isClosed) await toolMarks?.refresh(catalog.providers());
        if (!isChanged || isClosed) return;
        logger.info({ endpoints: catalog.entries().length }, "the catalog changed");
        told = tell(told);
        onChanged?.();
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
      clearTimeout(calibrating);
      const closed = watching.close();
      await endReading();
      await closed;
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
