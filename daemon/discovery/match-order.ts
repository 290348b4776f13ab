import { compareText } from "../base/compare-text.ts";
import type { CatalogEntry, CatalogProvider } from "../catalog/entries/catalog-entry.ts";

/** What the order of matches depends on. */
export interface RankedMatch {
  readonly entry: Pick<CatalogEntry, "path" | "verified"> & { readonly provider: Pick<CatalogProvider, "provider"> };
  readonly score: number;
}

/**
 * Best first. Matches with the same score are identical in everything that the ranking uses: those that were tried at
 * their provider come first, then they are ordered by provider slug and path, so that the order is always the same.
 */
export function byRank(a: RankedMatch, b: RankedMatch): number {
  return b.score - a.score || Number(b.entry.verified) - Number(a.entry.verified) || byEndpoint(a.entry, b.entry);
}

/** By provider slug and path, code unit by code unit. */
function byEndpoint(a: RankedMatch["entry"], b: RankedMatch["entry"]): number {
  return compareText(a.provider.provider, b.provider.provider) || compareText(a.path, b.path);
}
