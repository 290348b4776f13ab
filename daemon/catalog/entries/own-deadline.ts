import type { CatalogEntry } from "./catalog-entry.ts";

/**
 * Milliseconds within which a run of an endpoint ends when its caller asks for no less. docs/manifest.md, "Known maximum".
 */
export function ownDeadlineMs({ async: job, http }: CatalogEntry): number {
  return job === undefined ? http.timeoutMs : job.runMs;
}
