import type { CatalogProviderItem, CatalogProviderPage } from "../../../shared/contract/catalog-views.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import { compareProviderKeys, providerKey } from "../../registry/list-orders.ts";
import { type PageRequest, takeSortedPage } from "../../registry/list-page.ts";
import type { CatalogViewParts } from "./catalog-parts.ts";
import { toProviderItem } from "./provider-item.ts";

export interface ProviderFilter extends PageRequest {
  readonly q?: string | undefined;
  readonly source?: CatalogProviderItem["source"] | undefined;
  readonly state?: "failing" | "unavailable" | "used" | undefined;
}

/** Enough work for one turn of the event loop. */
const PROVIDERS_A_TURN = 200;

/** The providers by name; those that are down are found by `state`, wherever they stand. */
export async function listProviders(
  parts: CatalogViewParts,
  caller: WorkspaceCaller,
  filter: ProviderFilter,
  pause: () => Promise<void>,
): Promise<CatalogProviderPage> {
  const all: CatalogProviderItem[] = [];
  for (const provider of parts.catalog.providers()) {
    if (all.length > 0 && all.length % PROVIDERS_A_TURN === 0) await pause();
    all.push(toProviderItem(parts, provider, caller));
  }
  const found = all
    .filter((item) => passes(item, filter))
    .sort((a, b) => compareProviderKeys(providerKey(a), providerKey(b)));
  const list = { kind: "catalog-providers", keyOf: providerKey, compare: compareProviderKeys };
  return {
    ...takeSortedPage(list, found, filter),
    counts: {
      providers: all.length,
      endpoints: all.reduce((sum, { endpointCount }) => sum + endpointCount, 0),
      failing: all.filter(({ failing }) => failing > 0).length,
      unavailable: all.filter(({ unavailable }) => unavailable !== undefined).length,
      found: found.length,
    },
  };
}

function passes(item: CatalogProviderItem, { q = "", source, state }: ProviderFilter): boolean {
  if (source !== undefined && item.source !== source) return false;
  if (state === "failing" && item.failing === 0) return false;
  if (state === "unavailable" && item.unavailable === undefined) return false;
  if (state === "used" && item.status === "unknown") return false;
  const { provider, displayName, displayDescription = "", categories } = item;
  const text = `${provider} ${displayName} ${displayDescription} ${categories.join(" ")}`.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
