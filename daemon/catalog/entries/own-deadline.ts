import type { CatalogEntry } from "./catalog-entry.ts";

/** The default deadline of a run of an endpoint, in milliseconds. docs/manifest.md, "Known maximum". */
export function ownDeadlineMs({ async: job, http }: CatalogEntry): number {
  return job === undefined ? http.timeoutMs : job.runMs;
}
