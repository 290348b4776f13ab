import type { Money } from "../../shared/contract/common.ts";
import { representativeAmount } from "../billing/public-price.ts";
import { type BrowseFilter, passesBrowseFilter } from "../catalog/browse-filter.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";

/** The caller's filters, besides the category. docs/contract.md, "Discover filters". */
export interface DiscoverFilter extends BrowseFilter {
  /** One of these slugs. */
  readonly provider?: readonly string[] | undefined;
  /** All of these, in any letter case. */
  readonly tags?: readonly string[] | undefined;
  /** Compared with the amount that is shown; a price that only the provider knows is within no limit. */
  readonly maxPrice?: Money | undefined;
  readonly mode?: "sync" | "async" | undefined;
}

export function passesDiscoverFilter(entry: CatalogEntry, filter: DiscoverFilter): boolean {
  return (
    passesBrowseFilter(entry, filter) &&
    (filter.provider === undefined || filter.provider.includes(entry.provider.provider)) &&
    (filter.tags === undefined || hasTags(entry, filter.tags)) &&
    (filter.maxPrice === undefined || costsAtMost(entry.price, filter.maxPrice)) &&
    (filter.mode === undefined || filter.mode === (entry.async === undefined ? "sync" : "async"))
  );
}

function costsAtMost(price: CatalogEntry["price"], most: Money): boolean {
  if (price.type === "PER_CALL" && price.billedByVendor === true) return false;
  return Number(representativeAmount(price)) <= most.value;
}

function hasTags(entry: CatalogEntry, wanted: readonly string[]): boolean {
  const tags = new Set(entry.tags.map((tag) => tag.toLowerCase()));
  return wanted.every((tag) => tags.has(tag.toLowerCase()));
}
