import type { PublicCategoriesResponse } from "../../shared/contract/catalog.ts";
import type { HealthSettings } from "../../shared/contract/admin.ts";
import type { DiscoverExplanation } from "../../shared/contract/discovery.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { explainFound } from "./explain-found.ts";
import { type AccountSource, fillPool } from "./fill-pool.ts";
import type { DiscoverQuestion, Found, Match, Pool } from "./found.ts";
import type { HealthSource } from "./health/health.ts";
import { sinkIfDegraded } from "./health/health-effect.ts";
import { DEFAULT_HEALTH_SETTINGS } from "./health/health-settings.ts";
import type { CatalogIndex } from "./index/catalog-index.ts";
import { byRank } from "./match-order.ts";
import { distinctPhrasings } from "./phrasings/distinct-phrasings.ts";
import type { RankingKnowledge } from "./ranking/scoring/rank.ts";
import { createSearches, type Searches } from "./ranking/search.ts";
import { RANKING_WEIGHTS } from "./ranking/weights/ranking-weights.ts";
import { refinePool } from "./refine-pool.ts";
import type { SearchServices } from "./services/search-services.ts";
import type { Learning } from "./use/learning.ts";
import { raiseUsed } from "./use/raise-used.ts";
import { wishStems } from "./use/wish-stems.ts";

export interface DiscoveryParts {
  readonly catalog: Pick<Catalog, "categories" | "availability" | "toolChange" | "find">;
  /** The catalog as it is now, with its index. */
  readonly index: CatalogIndex;
  readonly health: HealthSource;
  readonly accounts?: AccountSource;
  /** What ranking uses beside the index. */
  readonly knowledge?: RankingKnowledge;
  /** The services that the operator has set for discovery, beside its own ranking. */
  readonly searchServices?: Pick<SearchServices, "refine" | "rephrase">;
  /** Absent: what was used does not change the order. */
  readonly learning?: Pick<Learning, "likeUses">;
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

/** Rejects with `unavailable` while a large catalog has no index yet. */
export interface Discovery extends AsyncDisposable {
  find(question: DiscoverQuestion): Promise<Found>;
  /** Only the matches. */
  discover(question: DiscoverQuestion): Promise<readonly Match[]>;
  /** The category nodes that the matches belong to, with the number of matches in each. */
  categories(question: DiscoverQuestion): Promise<PublicCategoriesResponse>;
  /** Why these are matches, in the same order. */
  explain(found: Pick<Found, "phrasings">, matches: readonly Match[]): DiscoverExplanation[];
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
  const searches = createSearches(parts.knowledge);
  const viewNow = () => parts.index.current().view;
  const find = async (question: DiscoverQuestion) => await findMatches({ ...parts, searches }, question);
  let isClosed = false;
  const close = async () => {
    isClosed = true;
    await searches.close();
  };
  return {
    find,
    discover: async (question) => (await find(question)).matches,
    explain(found, matches) {
      const view = viewNow();
      const k = (parts.knowledge?.weights ?? RANKING_WEIGHTS).saturation;
      return explainFound({ view, k, search: searches.of(view) }, found, matches);
    },
    async categories(question) {
      const { matches } = await find(question);
      return parts.catalog.categories.list(matches.map(({ entry }) => entry));
    },
    poolSize: () => parts.settings().discoverPool,
    async prepare() {
      if (!isClosed) await searches.prepare(viewNow());
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface FindingParts extends DiscoveryParts {
  readonly searches: Searches;
}

async function findMatches(parts: FindingParts, question: DiscoverQuestion): Promise<Found> {
  const { index, searches, searchServices } = parts;
  await index.ready();
  await searches.ready(index.current().view);
  const { discoverPool: limit, discoverFloor, health = DEFAULT_HEALTH_SETTINGS } = parts.settings();
  const floor = question.minScore ?? discoverFloor;
  const mayRephrase = question.also === undefined && question.mayRephrase === true;
  const written = mayRephrase ? await searchServices?.rephrase?.(question.q) : undefined;
  const phrasings = distinctPhrasings(question.q, question.also ?? written?.also);
  const filled = await fillPool(parts, question, { phrasings, limit });
  const { services: refining, ...pool } = await refinePool(parts, filled, { ...question, limit, floor });
  const services = written === undefined ? refining : [written.use, ...(refining ?? [])];
  const { shown, unavailable } = orderPool(parts, pool, { ...question, floor, degradedFactor: health.degradedFactor });
  const { stems, raised } = raiseByUse(parts, { ...question, phrasings }, shown);
  return {
    matches: question.includeUnavailable === true ? [...raised, ...unavailable] : raised,
    unavailable,
    nearest: [...pool.callable].sort(byRank).slice(0, NEAREST),
    phrasings,
    stems,
    ...(services !== undefined && { services }),
  };
}

/** What is above the floor and in the category, best first; health lowers what can be run. */
function orderPool(
  { catalog }: Pick<DiscoveryParts, "catalog">,
  { callable, unavailable }: Pool,
  { floor, category, degradedFactor: factor }: Pick<DiscoverQuestion, "category"> & Ordering,
): { readonly shown: readonly Match[]; readonly unavailable: Found["unavailable"] } {
  const fits = ({ entry, score }: Match) =>
    score >= floor && (category === undefined || catalog.categories.covers(category, entry));
  const shown = markBest(callable.filter(fits).sort(byRank)).map((match) => sinkIfDegraded(match, { factor, floor }));
  return { shown: shown.sort(byRank), unavailable: markBest(unavailable.filter(fits).sort(byRank)) };
}

interface Ordering {
  readonly floor: number;
  readonly degradedFactor: number;
}

/** The order that the asker's own use gives to matches above the floor. */
function raiseByUse(
  { learning, index, searches }: FindingParts,
  { asker, phrasings }: Pick<DiscoverQuestion, "asker"> & Pick<Found, "phrasings">,
  shown: readonly Match[],
): { readonly stems: readonly string[]; readonly raised: readonly Match[] } {
  if (learning === undefined || asker === undefined) return { stems: [], raised: shown };
  const { view } = index.current();
  const stems = wishStems(phrasings, searches.of(view).lookFor);
  const uses = learning.likeUses(asker, stems, view);
  const raised =
    uses.size === 0 ? shown : raiseUsed(shown, ({ entry }) => uses.get(`${entry.provider.provider}${entry.path}`));
  return { stems, raised };
}

const NEAREST = 10;

/** Of matches in the order in which they fit, which their health may change afterwards. */
function markBest<Some extends Match>(matches: readonly Some[]): Some[] {
  return matches.map((match, place) => (place === 0 ? { ...match, isBest: true } : match));
}
