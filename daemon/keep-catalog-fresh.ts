import type { Catalog } from "./catalog/catalog.ts";
import { type FolderWatch, watchFolders } from "./catalog/watch-folders.ts";
import type { Logger } from "./logger.ts";

/** Reads catalog files anew when they change, and logs what is wrong with them, each problem once. Manifest rule 14. */
export function keepCatalogFresh(catalog: Catalog, logger: Logger): FolderWatch {
  let told = tell(new Set());

  /** The problems of now; those that were not told yet are. */
  function tell(before: ReadonlySet<string>): ReadonlySet<string> {
    const now = new Map(catalog.problems().map((problem) => [JSON.stringify(problem), problem]));
    for (const [key, problem] of now) if (!before.has(key)) logger.warn({ problem }, "a catalog file cannot be used");
    return new Set(now.keys());
  }

  return watchFolders({
    folders: catalog.folders,
    async onChange() {
      try {
        if (!(await catalog.reload())) return;
        logger.info({ endpoints: catalog.entries().length }, "the catalog changed");
        told = tell(told);
      } catch (error) {
        logger.error({ err: error }, "the catalog could not be read anew; what was read before is served");
      }
    },
  });
}
