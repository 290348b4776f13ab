import type { DiscoverResponse } from "../../shared/contract/discovery.ts";

/** What is true of an answer in which nothing fits. `nearest`: the weak results that are printed all the same. */
export function nothingWords(
  { query, unavailable }: DiscoverResponse,
  { hasFilters, nearest = 0 }: { readonly hasFilters: boolean; readonly nearest?: number },
): string {
  const where = hasFilters ? "with these filters" : "in the catalog";
  const nothing = `Nothing ${where} ${unavailable === undefined ? "" : "that can be run now "}fits "${query}"`;
  if (nearest === 0) return `${nothing}.`;
  return `${nothing} well: the ${nearest === 1 ? "1 result is" : `${nearest} results are`} what comes nearest.`;
}
