import type { DiscoverResponse } from "../../shared/contract/discovery.ts";

/** What is true of an answer without results. */
export function nothingWords(
  { query, unavailable }: DiscoverResponse,
  { hasFilters }: { readonly hasFilters: boolean },
): string {
  const where = hasFilters ? "with these filters" : "in the catalog";
  return `Nothing ${where} ${unavailable === undefined ? "" : "that can be run now "}fits "${query}".`;
}
