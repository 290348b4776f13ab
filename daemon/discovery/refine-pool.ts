import { createMatching, type MatchParts } from "./fill-pool.ts";
import { type DiscoverQuestion, type Found, isUnavailable, type Match, type Pool } from "./found.ts";
import { byRank } from "./match-order.ts";
import type { SearchServices } from "./services/search-services.ts";

export interface RefiningParts extends MatchParts {
  /** Absent: no services are set. */
  readonly searchServices?: Pick<SearchServices, "refine"> | undefined;
}

/** The pool, refined by the services that are set; filters and limits stay those of the pool. */
export async function refinePool(
  parts: RefiningParts,
  pool: Pool,
  question: DiscoverQuestion & { readonly limit: number; readonly floor: number },
): Promise<Pool & Pick<Found, "services">> {
  if (parts.searchServices === undefined) return pool;
  const { q, limit, floor } = question;
  const { isServed } = createMatching(parts, question);
  const byWords = [...pool.callable, ...pool.unavailable].sort(byRank);
  const { ranked, services } = await parts.searchServices.refine({
    q,
    byWords: byWords.map(({ entry, score }) => ({ item: entry, score })),
    limit,
    floor,
    accept: isServed,
  });
  if (services.length === 0) return pool;
  // Health may have changed while the services answered.
  const { toMatch } = createMatching(parts, question);
  const placesOf = new Map(byWords.map(({ entry, places }) => [entry, places]));
  const matches = ranked.flatMap(({ item, score, byServices }): Match[] => {
    const match = toMatch(item, score);
    const places = placesOf.get(item);
    return match === undefined ? [] : [{ ...match, byServices, ...(places !== undefined && { places }) }];
  });
  const within = question.includeUnavailable === true ? matches.slice(0, limit) : matches;
  return {
    callable: within.filter((match) => !isUnavailable(match)).slice(0, limit),
    unavailable: within.filter(isUnavailable).slice(0, limit),
    services,
  };
}
