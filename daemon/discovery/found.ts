import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { DiscoverFilter } from "./discover-filter.ts";
import type { ServiceScore, ServiceUse } from "./services/search-services.ts";
import type { Unavailability } from "./unavailability.ts";
import type { Asker } from "./use/learning.ts";
import type { UsedMatch } from "./use/raise-used.ts";

/** What a discovery is asked for. */
export interface DiscoverQuestion extends DiscoverFilter {
  readonly q: string;
  /** The same need in other words; all are asked, and what they find is joined. */
  readonly also?: readonly string[] | undefined;
  /** Without `also`: the operator's model may write it, if one is set. It may cost the operator something. */
  readonly mayRephrase?: boolean | undefined;
  /** 0 to 2, in place of the configured floor. */
  readonly minScore?: number | undefined;
  /** A node id: a top covers its group; an unknown id covers nothing. */
  readonly category?: string | undefined;
  /** Also returns endpoints in outage and those that lack a secret or a grant, after all others. */
  readonly includeUnavailable?: boolean | undefined;
  /** The workspace whose view of health applies: the caller's; absent: the operator's. */
  readonly viewer?: string | undefined;
  /** Whose use changes the order; absent: nobody's, as in public. */
  readonly asker?: Asker | undefined;
  /** Awaited between two wordings, so that others have the thread; absent: a turn of the event loop. */
  readonly pause?: (() => Promise<void>) | undefined;
}

export interface Match extends UsedMatch {
  readonly entry: CatalogEntry;
  /** Present when it cannot be run now. */
  readonly unavailability?: Unavailability;
  /** The best of those that can be run, or of those that cannot: only such a match may be strong. */
  readonly isBest?: boolean;
  /** Its similarity in meaning to the query, if the ranking knows it. */
  readonly cosine?: number;
  /** For the query and each rephrasing its place there, from 1; absent for a query alone. */
  readonly places?: readonly (number | undefined)[];
  /** The scores that the services gave it. */
  readonly byServices?: readonly ServiceScore[];
}

export type UnavailableMatch = Match & Required<Pick<Match, "unavailability">>;

export interface Found {
  /** Every match within the pool, best first; their number is the `total` of an answer. */
  readonly matches: readonly Match[];
  /** Matches that cannot be run now, best first: left out of the matches, or placed at their end on request. */
  readonly unavailable: readonly UnavailableMatch[];
  /** The best few whatever their score, in rank order: what comes nearest when nothing fits. */
  readonly nearest: readonly Match[];
  /** The query, and the rephrasings that were asked beside it, each once. */
  readonly phrasings: readonly [string, ...string[]];
  /** What learning may remember of the question; empty where nothing is learned. */
  readonly stems: readonly string[];
  /** Present when services are set: whether each contributed. */
  readonly services?: readonly ServiceUse[];
}

/** What a question brings together, before floor, category and order. */
export interface Pool {
  readonly callable: readonly Match[];
  readonly unavailable: readonly UnavailableMatch[];
}

export function isUnavailable(match: Match): match is UnavailableMatch {
  return match.unavailability !== undefined;
}
