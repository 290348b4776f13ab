import type { PublicCategoriesResponse } from "../../shared/contract/catalog.ts";
import type { DiscoverExplanation, EndpointMetrics } from "../../shared/contract/discovery.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { analyseQuery } from "../text/analyse-text.ts";
import type { CatalogIndex } from "./catalog-index.ts";
import { type DiscoverFilter, passesDiscoverFilter } from "./discover-filter.ts";
import { createExplainer } from "./explain-match.ts";
import type { HealthSource } from "./health.ts";
import { rank } from "./rank.ts";

export interface DiscoveryParts {
  readonly catalog: Pick<Catalog, "categories" | "availability" | "find">;
  /** The catalog as it is now, with its index. */
  readonly index: CatalogIndex;
  readonly health: HealthSource;
  /** Read at every discovery, because the operator may change them. */
  readonly settings: () => DiscoverySettings;
}

export interface DiscoverySettings {
  /** Most candidates that one discovery looks at. */
  readonly discoverPool: number;
  /** Matches with a lower score are not returned, unless the caller sends a floor of its own. */
  readonly discoverFloor: number;
}

export interface DiscoverQuestion extends DiscoverFilter {
  readonly q: string;
  /** 0 to 2, in place of the configured floor. */
  readonly minScore?: number | undefined;
  /** A node id: a top covers its group; an id that names no node covers nothing. */
  readonly category?: string | undefined;
  /** Also what is in outage and what lacks a secret or a grant, after everything else. */
  readonly includeUnavailable?: boolean | undefined;
}

export interface Match {
  readonly entry: CatalogEntry;
  /** Above 0 and below 2. */
  readonly score: number;
  readonly metrics: EndpointMetrics;
}

export interface Discovery {
  /** Every match within the pool, best first; how many there are is the `total` of an answer. */
  discover(question: DiscoverQuestion): readonly Match[];
  /** The category nodes that the matches stand under, with the number of matches in each. */
  categories(question: DiscoverQuestion): PublicCategoriesResponse;
  /** Why these are matches for the words asked, in their order. */
  explain(q: string, matches: readonly Match[]): DiscoverExplanation[];
  /** As many as a limit may ask for. */
  poolSize(): number;
}

/**
 * Finds endpoints by what they do. Filters of this service's own and the hiding of what cannot be called come before the
 * pool is filled, so that the places of hidden endpoints go to the next best; floor and category come after it, as the
 * contract says. Contract semantics, 8.
 */
export function createDiscovery(parts: DiscoveryParts): Discovery {
  const { catalog } = parts;

  function discover(question: DiscoverQuestion): readonly Match[] {
    const { entries, index } = parts.index.current();
    const { discoverPool, discoverFloor } = parts.settings();
    const isCallable = createCallableCheck(parts);
    const entryOf = (document: number) => servedNow(catalog, entryAt(entries, document));
    const pool = rank(index, analyseQuery(question.q), {
      limit: discoverPool,
      accept(document) {
        const entry = entryOf(document);
        if (entry === undefined || !passesDiscoverFilter(entry, question)) return false;
        return question.includeUnavailable === true || isCallable(entry);
      },
    });
    const floor = question.minScore ?? discoverFloor;
    const matches = pool
      .filter(({ score }) => score >= floor)
      .flatMap(({ document, score }) => {
        const entry = entryOf(document);
        return entry === undefined ? [] : { entry, score };
      })
      .filter(({ entry }) => question.category === undefined || catalog.categories.covers(question.category, entry))
      .map(({ entry, score }) => ({ entry, score, metrics: metricsOf(parts.health, entry) }));
    return question.includeUnavailable === true ? callableFirst(matches, isCallable) : matches;
  }

  return {
    discover,
    explain(q, matches) {
      const explainEntry = createExplainer(parts.index.current().index, analyseQuery(q));
      return matches.map(({ entry, metrics }) => ({ ...explainEntry(entry), health: metrics }));
    },
    categories: (question) => catalog.categories.list(discover(question).map(({ entry }) => entry)),
    poolSize: () => parts.settings().discoverPool,
  };
}

/** Whether an endpoint's provider has its grant and its secrets, asked once a discovery, and is not in outage. */
function createCallableCheck({ catalog, health }: DiscoveryParts): (entry: CatalogEntry) => boolean {
  const known = new Map<string, boolean>();
  return (entry) => {
    const { provider } = entry.provider;
    const isAvailable = known.get(provider) ?? catalog.availability(provider).available;
    known.set(provider, isAvailable);
    return isAvailable && metricsOf(health, entry).status !== "outage";
  };
}

function callableFirst(matches: readonly Match[], isCallable: (entry: CatalogEntry) => boolean): Match[] {
  return [...matches.filter(({ entry }) => isCallable(entry)), ...matches.filter(({ entry }) => !isCallable(entry))];
}

function metricsOf(health: HealthSource, entry: CatalogEntry): EndpointMetrics {
  return health.metrics(entry.provider.provider, entry.path);
}

/** The endpoint as it is now: the index may still be that of a moment ago. */
export function servedNow(catalog: Pick<Catalog, "find">, { provider, path }: CatalogEntry): CatalogEntry | undefined {
  return catalog.find(provider.provider, path);
}

function entryAt(entries: readonly CatalogEntry[], document: number): CatalogEntry {
  const entry = entries[document];
  if (entry === undefined) throw new Error(`the index has a document ${document} that the catalog does not have`);
  return entry;
}
