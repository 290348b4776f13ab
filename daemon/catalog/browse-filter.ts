import type { CatalogEntry, ResourceEffect } from "./entries/catalog-entry.ts";

/** The filters that all browsing and discovery routes share. docs/contract.md, "Discover filters". */
export interface BrowseFilter {
  /** True: only endpoints that change no resource of the workspace; false: only those that do. */
  readonly readonly?: boolean | undefined;
  /** At least one of these; wins over `readonly`. */
  readonly effects?: readonly ResourceEffect[] | undefined;
  readonly supportsX402?: boolean | undefined;
  /** Implies `supportsX402`. */
  readonly x402Network?: string | undefined;
}

/** No endpoint here takes x402 payments, so asking for them finds nothing. */
export function passesBrowseFilter(entry: Pick<CatalogEntry, "effects">, filter: BrowseFilter): boolean {
  if (filter.supportsX402 === true || filter.x402Network !== undefined) return false;
  const effects = entry.effects ?? [];
  if (filter.effects !== undefined) return filter.effects.some((effect) => effects.includes(effect));
  return filter.readonly === undefined || filter.readonly === (effects.length === 0);
}
