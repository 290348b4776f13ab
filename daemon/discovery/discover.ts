import type { PublicCategoriesResponse } from "../../shared/contract/catalog.ts";
import type { DiscoverExplanation } from "../../shared/contract/discovery.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { CatalogIndex } from "./index/catalog-index.ts";
import { type DiscoverFilter, passesDiscoverFilter } from "./discover-filter.ts";
import { createExplainer } from "./ranking/explain-match.ts";
import type { HealthSettings } from "../../shared/contract/admin.ts";
import { type HealthSource, healthSeenBy } from "./health/health.ts";
import { explainHealth, type HealthyMatch, sinkIfDegraded } from "./health/health-effect.ts";
import { DEFAULT_HEALTH_SETTINGS } from "./health/health-settings.ts";
import { byRank } from "./match-order.ts";
import { RANKING_WEIGHTS } from "./ranking/weights/ranking-weights.ts";
import type { RankingKnowledge } from "./ranking/scoring/rank.ts";
import { createSearches, type ScoredDocument } from "./ranking/search.ts";
import type { SearchServices, ServiceScore, ServiceUse } from "./services/search-services.ts";
import { createUnavailabilityCheck, type Unavailability } from "./unavailability.ts";

export interface DiscoveryParts {
  readonly catalog: Pick<Catalog, "categories" | "availability" | "find">;
  /** The catalog as it is now, with its index. */
  readonly index: CatalogIndex;
  readonly health: HealthSource;
  /** What ranking uses beside the index. */
  readonly knowledge?: RankingKnowledge;
  /** The services that the operator has set for discovery, beside its own ranking. */
  readonly searchServices?: Pick<SearchServices, "refine">;
  /** Read at every discovery, because the operator may change them. */
  readonly settings: () => DiscoverySettings;
}

export interface DiscoverySettings {
  /** The most candidates that one discovery looks at. */
  readonly discoverPool: number;
  /** Matches with a lower score are not returned, unless the caller sends a floor of its own. */
  readonly discoverFloor: number;
  /** Absent: the defaults. */
  readonly health?: Pick<HealthSettings, "degradedFactor">;
}

export interface DiscoverQuestion extends DiscoverFilter {
  readonly q: string;
  /** 0 to 2, in place of the configured floor. */
  readonly minScore?: number | undefined;
  /** A node id: a top covers its group; an unknown id covers nothing. */
  readonly category?: string | undefined;
  /** Also returns endpoints in outage and those that lack a secret or a grant, after all others. */
  readonly includeUnavailable?: boolean | undefined;
  /** The workspace whose view of health applies: the caller's; absent: the operator's. */
  readonly viewer?: string | undefined;
}

export interface Match extends HealthyMatch {
  readonly entry: CatalogEntry;
  /** Present when it cannot be run now. */
  readonly unavailability?: Unavailability;
  /** Its similarity in meaning to the query, if the ranking knows it. */
  readonly cosine?: number;
  /** The scores that the services gave it. */
  readonly byServices?: readonly ServiceScore[];
}

export type UnavailableMatch = Match & Required<Pick<Match, "unavailability">>;

export interface Found {
  /** Every match within the pool, best first; their number is the `total` of an answer. */
  readonly matches: readonly Match[];
  /** Matches that cannot be run now, best first: left out of the matches, or placed at their end on request. */
  readonly unavailable: readonly UnavailableMatch[];
  /** Present when services are set: whether each contributed. */
  readonly services?: readonly ServiceUse[];
}

/** Rejects with `unavailable` while a large catalog has no index yet. */
export interface Discovery extends AsyncDisposable {
  find(question: DiscoverQuestion): Promise<Found>;
  /** Only the matches. */
  discover(question: DiscoverQuestion): Promise<readonly Match[]>;
  /** The category nodes that the matches belong to, with the number of matches in each. */
  categories(question: DiscoverQuestion): Promise<PublicCategoriesResponse>;
  /** Why these are matches for the query, in the same order. */
  explain(q: string, matches: readonly Match[]): DiscoverExplanation[];
  /** The largest limit that a caller may set. */
  poolSize(): number;
  /** Updates what it derives from the index in the background, as `CatalogIndex.prepare` updates the index. */
  prepare(): Promise<void>;
  /** Stops the work in progress. */
  close(): Promise<void>;
}

/**
 * Finds endpoints by what they do. This service's own filters and the removal of what cannot be called come before the
 * pool is filled, so that the next best endpoints fill the slots of hidden ones; floor and category are applied
 * afterwards, as the contract says. docs/contract.md, "Ranking".
 */
export function createDiscovery(parts: DiscoveryParts): Discovery {
  const { catalog } = parts;
  const searches = createSearches(parts.knowledge);
  let isClosed = false;

  async function find(question: DiscoverQuestion): Promise<Found> {
    await parts.index.ready();
    await searches.ready(parts.index.current().view);
    const { discoverPool, discoverFloor, health = DEFAULT_HEALTH_SETTINGS } = parts.settings();
    const floor = question.minScore ?? discoverFloor;
    const filled = fillPool(question, discoverPool);
    const { callable, unavailable, services } = await refinePool(filled, question, { limit: discoverPool, floor });
    const fits = ({ entry, score }: Match) =>
      score >= floor && (question.category === undefined || catalog.categories.covers(question.category, entry));
    const sinking = { factor: health.degradedFactor, floor };
    const shown = callable
      .filter(fits)
      .map((match) => sinkIfDegraded(match, sinking))
      .sort(byRank);
    const apart = unavailable.filter(fits).sort(byRank);
    const told = services === undefined ? {} : { services };
    if (question.includeUnavailable === true) return { matches: [...shown, ...apart], unavailable: apart, ...told };
    return { matches: shown, unavailable: apart, ...told };
  }

  /**
   * The best that pass the filters. Endpoints that cannot be run take no slots from others, unless they were requested.
   */
  function fillPool(question: DiscoverQuestion, limit: number): Pool {
    const { entries, view } = parts.index.current();
    const search = searches.of(view);
    const health = healthSeenBy(parts.health, question.viewer);
    const unavailabilityOf = createUnavailabilityCheck({ catalog, health });
    const entryOf = (document: number) => servedNow(catalog, entryAt(entries, document));
    const toMatches = (scored: readonly ScoredDocument[]) =>
      scored.flatMap(({ document, score, cosine }): Match[] => {
        const entry = entryOf(document);
        return entry === undefined ? [] : [{ ...toMatch(health, entry, score, unavailabilityOf(entry)), cosine }];
      });

    const { all, shown } = search.rank(question.q, {
      limit,
      accept(document) {
        const entry = entryOf(document);
        return entry !== undefined && passesDiscoverFilter(entry, question);
      },
      // A hidden endpoint neither takes a slot nor affects the ranking of the others.
      ...(question.includeUnavailable !== true && {
        // Checked on the entry as it was indexed. `accept` checks whether it is still served, which takes longer.
        isHidden: (document) => unavailabilityOf(entryAt(entries, document)) !== undefined,
      }),
    });
    return {
      callable: toMatches(shown).filter((match) => !isUnavailable(match)),
      unavailable: toMatches(all).filter(isUnavailable),
    };
  }

  /** The pool, refined by the services that are set; filters and limits stay those of the pool. */
  async function refinePool(
    pool: Pool,
    question: DiscoverQuestion,
    { limit, floor }: { readonly limit: number; readonly floor: number },
  ): Promise<Pool & Pick<Found, "services">> {
    if (parts.searchServices === undefined) return pool;
    const byWords = [...pool.callable, ...pool.unavailable].sort(byRank);
    const { ranked, services } = await parts.searchServices.refine({
      q: question.q,
      byWords: byWords.map(({ entry, score }) => ({ item: entry, score })),
      limit,
      floor,
      accept(known) {
        const entry = servedNow(catalog, known);
        return entry !== undefined && passesDiscoverFilter(entry, question);
      },
    });
    const health = healthSeenBy(parts.health, question.viewer);
    const unavailabilityOf = createUnavailabilityCheck({ catalog, health });
    const matches = ranked.flatMap(({ item, score, byServices }): Match[] => {
      const entry = servedNow(catalog, item);
      return entry === undefined ? [] : [{ ...toMatch(health, entry, score, unavailabilityOf(entry)), byServices }];
    });
    const within = question.includeUnavailable === true ? matches.slice(0, limit) : matches;
    return {
      callable: within.filter((match) => !isUnavailable(match)).slice(0, limit),
      unavailable: within.filter(isUnavailable).slice(0, limit),
      services,
    };
  }

  return {
    find,
    discover: async (question) => (await find(question)).matches,
    explain(q, matches) {
      const { view } = parts.index.current();
      const k = (parts.knowledge?.weights ?? RANKING_WEIGHTS).saturation;
      const explainEntry = createExplainer({ view, k }, searches.of(view).lookFor(q));
      return matches.map((match) => ({
        ...explainEntry(match.entry),
        ...(match.cosine !== undefined && match.cosine >= NEAR_IN_MEANING && { meaning: match.cosine }),
        ...(match.byServices !== undefined && { services: [...match.byServices] }),
        health: explainHealth(match),
      }));
    },
    async categories(question) {
      const { matches } = await find(question);
      return catalog.categories.list(matches.map(({ entry }) => entry));
    },
    poolSize: () => parts.settings().discoverPool,
    async prepare() {
      if (!isClosed) await searches.prepare(parts.index.current().view);
    },
    async close() {
      isClosed = true;
      await searches.close();
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** A cosine below this is due to chance. */
const NEAR_IN_MEANING = 0.3;

interface Pool {
  readonly callable: readonly Match[];
  readonly unavailable: readonly UnavailableMatch[];
}

function toMatch(
  health: HealthSource,
  entry: CatalogEntry,
  score: number,
  unavailability: Unavailability | undefined,
): Match {
  const metrics = health.metrics(entry.provider.provider, entry.path);
  return { entry, score, metrics, ...(unavailability !== undefined && { unavailability }) };
}

function isUnavailable(match: Match): match is UnavailableMatch {
  return match.unavailability !== undefined;
}

/** The endpoint as it is now: the index may be slightly older. */
export function servedNow(catalog: Pick<Catalog, "find">, { provider, path }: CatalogEntry): CatalogEntry | undefined {
  return catalog.find(provider.provider, path);
}

function entryAt(entries: readonly (CatalogEntry | undefined)[], document: number): CatalogEntry {
  const entry = entries[document];
  if (entry === undefined) throw new Error(`the index has a document ${document} that the catalog does not have`);
  return entry;
}
