import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { oncePer } from "../../base/once-per.ts";
import type { Pace } from "../../providers/pace/pace-window.ts";

/** Concurrent runs at one provider, unless its manifest says otherwise. */
const DEFAULT_CONCURRENCY = 64;

/**
 * The runs that share one queue: those of a provider under the same `http.rateLimit`. An endpoint with its own limit
 * has its own lane.
 */
export interface ProviderLane {
  readonly provider: string;
  /** Maximum number of concurrent runs at the provider. */
  readonly concurrency: number;
  /** Limits how many runs begin within a time. Absent: only the number of slots limits them. */
  readonly pace?: Pace;
}

/** `entry` is undefined for an endpoint that has left the catalog. */
export function laneOf(provider: string, entry: CatalogEntry | undefined): ProviderLane {
  return entry === undefined ? makeLane(provider, undefined) : laneOfEntry(entry);
}

const laneOfEntry = oncePer((entry: CatalogEntry) => makeLane(entry.provider.provider, entry.http.rateLimit));

function makeLane(provider: string, limit: CatalogEntry["http"]["rateLimit"]): ProviderLane {
  const concurrency = limit?.concurrency ?? DEFAULT_CONCURRENCY;
  if (limit?.requests === undefined || limit.perMs === undefined) return { provider, concurrency };
  return { provider, concurrency, pace: { requests: limit.requests, perMs: limit.perMs } };
}
