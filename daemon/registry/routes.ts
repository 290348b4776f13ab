import type { PublicProviderEntry } from "../../shared/contract/catalog.ts";
import { operations } from "../../shared/contract/index.ts";
import { ApiError } from "../../shared/errors.ts";
import { type BrowseFilter, passesBrowseFilter } from "../catalog/browse-filter.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { toEndpointCard, toEndpointDetail, toProviderEntry } from "../catalog/public-cards.ts";
import type { CatalogIndex } from "../discovery/catalog-index.ts";
import { servedNow } from "../discovery/discover.ts";
import { searchKeywords } from "../discovery/keyword-search.ts";
import { reply, type Route, route } from "../http/route.ts";
import { takePage } from "../http/take-page.ts";

export interface RegistryRoutesParts {
  readonly catalog: Catalog;
  /** The catalog as it is now, with its index: the same as discovery's, so that it is built once. */
  readonly index: CatalogIndex;
}

/**
 * The public registry, for browsing without credentials: `/public/v1` but for discovery; and the same list of endpoints for
 * callers with a workspace. Lists show what cannot be called too.
 */
export function registryRoutes({ catalog, index }: RegistryRoutesParts): Route[] {
  const search: KeywordSearch = (q) =>
    searchKeywords(index.current(), q).flatMap((entry) => servedNow(catalog, entry) ?? []);
  const browse = createBrowsing(catalog, search);
  const inCategory = (category: string | undefined) => (entry: CatalogEntry) =>
    category === undefined || catalog.categories.covers(category, entry);
  return [
    route(operations.browseEndpoints, ({ query }) => {
      const entries = browse({ filter: query }).filter(inCategory(query.category));
      return reply(200, endpointPage("endpoints", entries, query));
    }),
    route(operations.getPublicStats, ({ query }) => {
      const entries = browse({ filter: query });
      return reply(200, {
        endpointCount: entries.length,
        providerCount: new Set(entries.map(({ provider }) => provider.provider)).size,
      });
    }),
    route(operations.listPublicCategories, ({ query }) =>
      reply(200, catalog.categories.list(browse({ filter: query, q: query.q }), { category: query.category })),
    ),
    route(operations.listPublicEndpoints, ({ query }) => {
      const entries = browse({ filter: query, q: query.q })
        .filter(inCategory(query.category))
        .filter(({ provider }) => query.provider === undefined || provider.provider === query.provider);
      return reply(200, endpointPage("public-endpoints", entries, query));
    }),
    route(operations.listPublicProviders, ({ query }) => {
      const items = providersOf(browse({ filter: query, q: query.q }), catalog);
      const inOrder = query.q === undefined ? items.sort(byProviderOrder) : items;
      return reply(200, takePage("public-providers", inOrder, query));
    }),
    route(operations.listPublicProviderEndpoints, ({ params, query }) => {
      const own = catalog.entriesOf(params.provider);
      if (own.length === 0) throw new ApiError("notFound", `Provider "${params.provider}" was not found`);
      const entries = browse({ filter: {} }).filter((entry) => entry.provider.provider === params.provider);
      return reply(200, endpointPage("provider-endpoints", entries, query));
    }),
    route(operations.getPublicEndpoint, ({ params }) =>
      reply(200, toEndpointDetail(catalog.get(params.provider, params.endpoint))),
    ),
    route(operations.searchPublicEndpoints, ({ query }) => {
      const { items, cursor, total } = endpointPage("public-search", search(query.q), query);
      const page = { items, query: query.q, count: items.length, total, totalIsCapped: false };
      return reply(200, cursor === undefined ? page : { ...page, cursor });
    }),
  ];
}

type KeywordSearch = (q: string) => readonly CatalogEntry[];

interface Browsing {
  readonly filter: BrowseFilter;
  readonly q?: string | undefined;
}

/** The endpoints that pass the filters: by keywords the best first, else verified ones first and then by name. */
function createBrowsing(catalog: Catalog, search: KeywordSearch) {
  let sorted: { readonly from: readonly CatalogEntry[]; readonly entries: readonly CatalogEntry[] } | undefined;
  return ({ filter, q }: Browsing): readonly CatalogEntry[] => {
    const from = catalog.entries();
    if (sorted?.from !== from) sorted = { from, entries: [...from].sort(byBrowsingOrder) };
    const entries = q === undefined ? sorted.entries : search(q);
    return entries.filter((entry) => passesBrowseFilter(entry, filter));
  };
}

/** Contract semantics, 8: verified first. */
function byBrowsingOrder(a: CatalogEntry, b: CatalogEntry): number {
  return (
    Number(b.verified) - Number(a.verified) ||
    a.displayName.localeCompare(b.displayName, "en") ||
    compareText(a.provider.provider, b.provider.provider) ||
    compareText(a.path, b.path)
  );
}

function byProviderOrder(a: PublicProviderEntry, b: PublicProviderEntry): number {
  return a.displayName.localeCompare(b.displayName, "en") || compareText(a.provider, b.provider);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Providers of the endpoints in their order; with a count of all their enabled endpoints. Spec: PublicProviderEntry. */
function providersOf(entries: readonly CatalogEntry[], catalog: Catalog): PublicProviderEntry[] {
  const providers = new Map(entries.map(({ provider }) => [provider.provider, provider]));
  return [...providers.values()].map((provider) => {
    return toProviderEntry(provider, catalog.entriesOf(provider.provider).length);
  });
}

function endpointPage(
  kind: string,
  entries: readonly CatalogEntry[],
  page: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
) {
  const { items, cursor } = takePage(kind, entries, page);
  return { items: items.map(toEndpointCard), total: entries.length, ...(cursor !== undefined && { cursor }) };
}
