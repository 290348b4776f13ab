import type { DiscoverExplanation } from "../../shared/contract/discovery.ts";
import type { Found, Match } from "./found.ts";
import { explainHealth } from "./health/health-effect.ts";
import type { IndexView } from "./index/index-view.ts";
import { bestPhrasing, phrasingPlaces } from "./phrasings/phrasing-places.ts";
import { confidenceOfMatch } from "./ranking/confidence/confidence-of.ts";
import { createExplainer } from "./ranking/explain-match.ts";
import type { Search } from "./ranking/search.ts";

/** A cosine below this is due to chance. */
const NEAR_IN_MEANING = 0.3;

export interface ExplainingParts {
  readonly view: IndexView;
  readonly search: Pick<Search, "lookFor">;
  /** The saturation of the ranking. */
  readonly k: number;
}

/** Why these are matches, in the same order. */
export function explainFound(
  { view, search, k }: ExplainingParts,
  { phrasings }: Pick<Found, "phrasings">,
  matches: readonly Match[],
): DiscoverExplanation[] {
  // Several matches are found best by the same phrasing.
  const explainers = new Map<string, ReturnType<typeof createExplainer>>();
  const explainerOf = (phrasing: string) => {
    const explainEntry = explainers.get(phrasing) ?? createExplainer({ view, k }, search.lookFor(phrasing));
    explainers.set(phrasing, explainEntry);
    return explainEntry;
  };
  return matches.map((match) => ({
    ...explainerOf(bestPhrasing(phrasings, match.places))(match.entry),
    ...(match.places !== undefined && { phrasings: phrasingPlaces(phrasings, match.places) }),
    confidence: confidenceOfMatch(match),
    ...(match.cosine !== undefined && match.cosine >= NEAR_IN_MEANING && { meaning: match.cosine }),
    ...(match.byServices !== undefined && { services: [...match.byServices] }),
    health: explainHealth(match),
    ...(match.use !== undefined && { use: match.use }),
  }));
}
