import type { PublicProviderEntry } from "../../shared/contract/catalog.ts";
import { operations } from "../../shared/contract/index.ts";
import { ApiError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/near-misses.ts";
import { type BrowseFilter, passesBrowseFilter } from "../catalog/browse-filter.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { toEndpointCard, toEndpointDetail, toProviderEntry } from "../catalog/public-cards.ts";
import type { CatalogIndex } from "../discovery/index/catalog-index.ts";
import { servedNow } from "../discovery/fill-pool.ts";
import { searchKeywords } from "../discovery/keyword-search.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { browsingKey, compareBrowsingKeys, compareProviderKeys, endpointKey, providerKey } from "./list-orders.ts";
import { type PageRequest, takeRankedPage, takeSortedPage } from "./list-page.ts";

export interface RegistryRoutesParts {
  readonly catalog: Catalog;
  /** The current catalog with its index: shared with discovery, so that it is built once. */
  readonly index: CatalogIndex;
}

/**
 * The public registry, for browsing without credentials: `/public/v1` without discovery; and the same list of endpoints
 * for callers with a workspace. Lists include endpoints that cannot be called.
 */
export function registryRoutes({ catalog, index }: RegistryRoutesParts): Route[] {
  const search: KeywordSearch = async (q) => {
    await index.ready();
    return searchKeywords(index.current(), q).flatMap((entry) => servedNow(catalog, entry) ?? []);
  };
  const browse = createBrowsing(catalog, search);
  const inCategory = (category: string | undefined) => (entry: CatalogEntry) =>
    category === undefined || catalog.categories.covers(category, entry);
  return [
    route(operations.browseEndpoints, async ({ query }) => {
      const entries = (await browse({ filter: query })).filter(inCategory(query.category));
      return reply(200, endpointPage("endpoints", entries, { page: query }));
    }),
    route(operations.getPublicStats, async ({ query }) => {
      const entries = await browse({ filter: query, q: query.q });
      return reply(200, {
        endpointCount: entries.length,
        providerCount: new Set(entries.map(({ provider }) => provider.provider)).size,
      });
    }),
    route(operations.listPublicCategories, async ({ query }) => {
      const entries = await browse({ filter: query, q: query.q });
      return reply(200, catalog.categories.list(entries, { category: query.category }));
    }),
    route(operations.listPublicEndpoints, async ({ query }) => {
      const entries = (await browse({ filter: query, q: query.q }))
        .filter(inCategory(query.category))
        .filter(({ provider }) => query.provider === undefined || provider.provider === query.provider);
      return reply(200, endpointPage("public-endpoints", entries, { page: query, q: query.q }));
    }),
    route(operations.listPublicProviders, async ({ query }) => {
      const entries = await browse({ filter: query, q: query.q });
      return reply(200, providerPage(providersOf(entries, catalog), query));
    }),
    route(operations.listPublicProviderEndpoints, async ({ params, query }) => {
      const own = catalog.entriesOf(params.provider);
      if (own.length === 0) throw unknownProvider(params.provider, catalog);
      const entries = (await browse({ filter: {} })).filter((entry) => entry.provider.provider === params.provider);
      return reply(200, endpointPage("provider-endpoints", entries, { page: query }));
    }),
    route(operations.getPublicEndpoint, ({ params }) =>
      reply(200, toEndpointDetail(catalog.get(params.provider, params.endpoint))),
    ),
    route(operations.searchPublicEndpoints, async ({ query }) => {
      const found = await search(query.q);
      const { items, cursor, total } = endpointPage("public-search", found, { page: query, q: query.q });
      const page = { items, query: query.q, count: items.length, total, totalIsCapped: false };
      return reply(200, cursor === undefined ? page : { ...page, cursor });
    }),
  ];
}

function unknownProvider(provider: string, catalog: Catalog): ApiError {
  const served = new Set(catalog.entries().map((entry) => entry.provider.provider));
  return new ApiError("notFound", `Provider "${provider}" was not found${didYouMean(provider, served)}`);
}

type KeywordSearch = (q: string) => Promise<readonly CatalogEntry[]>;

interface Browsing {
  readonly filter: BrowseFilter;
  readonly q?: string | undefined;
}

/**
 * The endpoints that pass the filters: with keywords the best first, otherwise verified ones first and then by name.
 */
function createBrowsing(catalog: Catalog, search: KeywordSearch) {
  let sorted: { readonly from: readonly CatalogEntry[]; readonly entries: readonly CatalogEntry[] } | undefined;
  function inOrder(from: readonly CatalogEntry[]): readonly CatalogEntry[] {
    if (sorted?.from !== from) sorted = { from, entries: inBrowsingOrder(from) };
    return sorted.entries;
  }
  return async ({ filter, q }: Browsing): Promise<readonly CatalogEntry[]> => {
    const entries = q === undefined ? inOrder(catalog.entries()) : await search(q);
    return entries.filter((entry) => passesBrowseFilter(entry, filter));
  };
}

/**
 * Providers of the endpoints, in the same order; with a count of all their enabled endpoints.
 * docs/contract.md, "Discover routes".
 */
function providersOf(entries: readonly CatalogEntry[], catalog: Catalog): PublicProviderEntry[] {
  const providers = new Map(entries.map(({ provider }) => [provider.provider, provider]));
  return [...providers.values()].map((provider) => {
    return toProviderEntry(provider, catalog.entriesOf(provider.provider).length);
  });
}

function inBrowsingOrder(entries: readonly CatalogEntry[]): CatalogEntry[] {
  return entries
    .map((entry) => ({ entry, key: browsingKey(entry) }))
    .sort((a, b) => compareBrowsingKeys(a.key, b.key))
    .map(({ entry }) => entry);
}

/** With keywords the entries are in search order, otherwise in browsing order. */
function endpointPage(
  list: string,
  entries: readonly CatalogEntry[],
  { page, q }: { readonly page: PageRequest; readonly q?: string | undefined },
) {
  const { items, cursor } =
    q === undefined
      ? takeSortedPage({ kind: list, keyOf: browsingKey, compare: compareBrowsingKeys }, entries, page)
      : takeRankedPage({ kind: `${list}-q`, keyOf: endpointKey }, entries, page);
  return { items: items.map(toEndpointCard), total: entries.length, ...(cursor !== undefined && { cursor }) };
}

/** As `endpointPage`; the providers are in search order already. */
function providerPage(found: PublicProviderEntry[], query: PageRequest & { readonly q?: string | undefined }) {
  if (query.q !== undefined) {
    return takeRankedPage({ kind: "public-providers-q", keyOf: ({ provider }) => [provider] }, found, query);
  }
  const sorted = found.sort((a, b) => compareProviderKeys(providerKey(a), providerKey(b)));
  return takeSortedPage({ kind: "public-providers", keyOf: providerKey, compare: compareProviderKeys }, sorted, query);
}
