import type { CatalogEntry } from "./catalog-entry.ts";

/** The default deadline of a run of an endpoint, in milliseconds. docs/manifest.md, "Known maximum". */
export function ownDeadlineMs({ async: job, http }: CatalogEntry): number {
  return job === undefined ? http.timeoutMs : job.runMs;
}

/**
 * The longest that the call of a route's member takes, in milliseconds: one that answers at once has no more than its endpoint's own
 * time, a job has all of the run's.
 */
export function memberDeadlineMs(entry: CatalogEntry, deadlineMs: number): number {
  return entry.async === undefined ? Math.min(deadlineMs, ownDeadlineMs(entry)) : deadlineMs;
}
