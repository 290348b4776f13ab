import type { CatalogEntry } from "../../../catalog/entries/catalog-entry.ts";
import { forEachInSteps } from "./for-each-in-steps.ts";
import type { VectorSet } from "./vector-set.ts";

/** The endpoints of one catalog by the similarity of their vectors to another; queries have length 1. */
export interface NearEndpoints {
  readonly dimensions: number;
  /** Undefined for an endpoint that has no vector (yet). */
  cosine(query: Float32Array, entry: CatalogEntry): number | undefined;
  /** The endpoints with the greatest cosines, greatest first. */
  nearest(query: Float32Array, options: NearestOptions): readonly NearEndpoint[];
}

export interface NearestOptions {
  readonly limit: number;
  readonly accept: (entry: CatalogEntry) => boolean;
}

export interface NearEndpoint {
  readonly entry: CatalogEntry;
  readonly cosine: number;
}

/** For every requested endpoint, this many likely ones are compared exactly; and never fewer than the minimum. */
const LOOKED_AT_FOR_EACH = 8;
const LEAST_LOOKED_AT = 64;

export async function createNearEndpoints(
  vectors: VectorSet,
  entries: readonly CatalogEntry[],
  keyOf: (entry: CatalogEntry) => string,
): Promise<NearEndpoints> {
  const rows = new Int32Array(entries.length);
  await forEachInSteps(entries, (entry, place) => {
    rows[place] = vectors.rowOf(keyOf(entry)) ?? -1;
  });
  return {
    dimensions: vectors.dimensions,
    cosine(query, entry) {
      const row = vectors.rowOf(keyOf(entry));
      return row === undefined ? undefined : vectors.cosine(query, row);
    },
    nearest(query, { limit, accept }) {
      const most = Math.max(limit * LOOKED_AT_FOR_EACH, LEAST_LOOKED_AT);
      const looked: NearEndpoint[] = [];
      for (const place of vectors.likelyNearest(query, rows)) {
        const entry = entries[place];
        if (entry === undefined || !accept(entry)) continue;
        looked.push({ entry, cosine: vectors.cosine(query, rows[place] ?? 0) });
        if (looked.length === most) break;
      }
      return looked.sort((one, other) => other.cosine - one.cosine).slice(0, limit);
    },
  };
}
