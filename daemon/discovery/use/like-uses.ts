import { rarity } from "../ranking/query/rarity.ts";
import type { IndexView } from "../index/index-view.ts";
import type { Use } from "./use-memory.ts";

/** Below this two asks are about different things. */
const LIKE = 0.6;
/** Further uses of the same ask say nothing new. */
const MOST_COUNTED = 10;

/** How an endpoint was used for asks like the present one. */
export interface LikeUses {
  /** Runs that succeeded, one for each ask; at least 1. */
  readonly times: number;
  /** Added to the log-odds of its score where places are compared: above 0 and below 1. */
  readonly gain: number;
}

/** By provider and path, the uses for asks like this one. */
export function likeUses(
  asked: readonly string[],
  uses: readonly Use[],
  view: Pick<IndexView, "documentsWith" | "size">,
): ReadonlyMap<string, LikeUses> {
  const likeness = likenessTo(asked, view);
  const sums = new Map<string, { times: number; evidence: number }>();
  for (const { provider, endpoint, stems, count } of uses) {
    const like = likeness(stems);
    if (like < LIKE) continue;
    const key = `${provider}${endpoint}`;
    const { times, evidence } = sums.get(key) ?? { times: 0, evidence: 0 };
    sums.set(key, { times: times + count, evidence: evidence + like * Math.min(count, MOST_COUNTED) });
  }
  return new Map([...sums].map(([key, { times, evidence }]) => [key, { times, gain: 1 - 2 ** -evidence }]));
}

/**
 * The cosine of two sets of words that count by their rarity, 0 to 1. One shared word alone is no likeness, unless
 * neither ask has another.
 */
function likenessTo(
  asked: readonly string[],
  view: Pick<IndexView, "documentsWith" | "size">,
): (stems: readonly string[]) => number {
  const known = new Map<string, number>();
  const worthOf = (stem: string) => {
    const worth = known.get(stem) ?? knownWorth(view.documentsWith(stem), view.size);
    known.set(stem, worth);
    return worth;
  };
  const sum = (stems: readonly string[]) => stems.reduce((all, stem) => all + worthOf(stem), 0);
  const wanted = new Set(asked);
  const total = sum(asked);
  return (stems) => {
    const shared = stems.filter((stem) => wanted.has(stem));
    const isSame = shared.length === wanted.size && shared.length === stems.length;
    if (shared.length === 0) return 0;
    if (isSame) return 1;
    return shared.length < 2 ? 0 : sum(shared) / Math.sqrt(total * sum(stems));
  };
}

/** A word that has left the catalog counts nothing. */
function knownWorth(having: number, documents: number): number {
  return having === 0 ? 0 : rarity(having, documents);
}
