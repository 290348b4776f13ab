import type { Search, ScoredDocument } from "../ranking/search.ts";
import type { RankOptions } from "../ranking/scoring/rank.ts";
import { joinPhrasings } from "./join-phrasings.ts";

/** A document that one or several phrasings of a query found. */
export interface RankedDocument extends Omit<ScoredDocument, "chance"> {
  /** Absent where several phrasings were asked: there the score says how far they agree. */
  readonly chance?: number;
  /** For each phrasing its place there, from 1; undefined where it was not found. Absent for a query alone. */
  readonly places?: readonly (number | undefined)[];
}

export interface RankedPhrasings {
  readonly all: readonly RankedDocument[];
  /** The ranking as if hidden documents did not exist. */
  readonly shown: readonly RankedDocument[];
}

/** Rephrasings add what the query does not find, so they need no deep rankings. */
const REPHRASING_LIMIT = 50;

/**
 * Asks all phrasings of one view, the query first, and joins what they find. One step for each phrasing: together they
 * take as long as so many searches, and between two steps others may search the same view.
 */
export function* rankPhrasings(
  search: Pick<Search, "rank" | "intentsOf">,
  [q, ...also]: readonly [string, ...string[]],
  options: RankOptions,
): Generator<void, RankedPhrasings> {
  if (also.length === 0) return search.rank(q, options);
  const beside = [q, ...also].map(search.intentsOf);
  const limit = Math.min(options.limit, REPHRASING_LIMIT);
  const rankings = [search.rank(q, { ...options, beside })];
  for (const phrasing of also) {
    yield;
    rankings.push(search.rank(phrasing, { ...options, beside, limit }));
  }
  const all = join(rankings.map((ranking) => ranking.all)).slice(0, options.limit);
  // Where nothing was hidden, both are the same list.
  const isSame = rankings.every((ranking) => ranking.shown === ranking.all);
  return { all, shown: isSame ? all : join(rankings.map(({ shown }) => shown)).slice(0, options.limit) };
}

function join(rankings: readonly (readonly ScoredDocument[])[]): RankedDocument[] {
  const cosines = new Map<number, number>();
  for (const { document, cosine } of rankings.flat()) {
    cosines.set(document, Math.max(cosine, cosines.get(document) ?? -1));
  }
  const items = rankings.map((ranking) => ranking.map(({ document, score }) => ({ item: document, score })));
  return joinPhrasings(items).map(({ item, score, places }) => ({
    document: item,
    score,
    cosine: cosines.get(item) ?? 0,
    places,
  }));
}
