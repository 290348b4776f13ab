import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { Pace } from "../providers/pace/pace-window.ts";

/** Runs at one provider side by side, unless its manifest says otherwise. */
const DEFAULT_CONCURRENCY = 64;

/**
 * Who waits in one line: the runs of a provider under the same `http.rateLimit`. An endpoint with a limit of its own has a
 * lane of its own.
 */
export interface ProviderLane {
  readonly provider: string;
  /** Runs at the provider at the same time. */
  readonly concurrency: number;
  /** Beginnings of runs; without it as many as there are places. */
  readonly pace?: Pace;
}

/** `entry` is undefined for an endpoint that has left the catalog. */
export function laneOf(provider: string, entry: CatalogEntry | undefined): ProviderLane {
  const limit = entry?.http.rateLimit;
  const concurrency = limit?.concurrency ?? DEFAULT_CONCURRENCY;
  if (limit?.requests === undefined || limit.perMs === undefined) return { provider, concurrency };
  return { provider, concurrency, pace: { requests: limit.requests, perMs: limit.perMs } };
}
