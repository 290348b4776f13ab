import type { CatalogEntry } from "./catalog-entry.ts";

/** The most pages that a run of the endpoint reads; 1 for one without pages. docs/manifest.md, "Pages". */
export function mostPages({ pages, async: job, request }: Pick<CatalogEntry, "pages" | "async" | "request">): number {
  if (request.run !== undefined) return request.run.maxPages ?? 1;
  return (job === undefined ? pages : job.result?.pages)?.max ?? 1;
}
