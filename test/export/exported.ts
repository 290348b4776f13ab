import { type ExportedCatalog, readExportedCatalog } from "../../daemon/export/exported-catalog.ts";
import { fixturesDir } from "../catalog/catalog-folder.ts";
import { starterCatalogDir } from "../support/bundled-catalog.ts";

/** The worked examples of the format: every kind of price, a job, resources, secrets. */
export async function workedExamples(): Promise<ExportedCatalog> {
  return await readExportedCatalog({ paths: [fixturesDir], defaults: [], providers: [] });
}

/** All that comes with the program. */
export async function bundledCatalog(): Promise<ExportedCatalog> {
  const defaults = [{ dir: starterCatalogDir(), bundled: true, trusted: true }];
  return await readExportedCatalog({ paths: [], defaults, bundledDir: starterCatalogDir(), providers: [] });
}

export async function exportedFrom(dir: string): Promise<ExportedCatalog> {
  return await readExportedCatalog({ paths: [dir], defaults: [], providers: [] });
}
