/** A candidate as far as variety is concerned. */
export interface Served {
  /** Greater is better; 1 is that of the best by words. */
  readonly relevance: number;
  /** Places of the query's words that it has. */
  readonly words: readonly number[];
}

/** So many of the best are looked through. */
const DEPTH = 30;
/** What is left of a word's worth when a result has served it. */
const LEFT = 0.4;

/**
 * The order in which a query with several wishes is served: a result gives way for words that those before it have served
 * already. Takes candidates best first, and gives their places.
 */
export function orderByVariety(candidates: readonly Served[], worths: Float64Array, weight: number): number[] {
  const places = [...candidates.keys()];
  if (weight === 0) return places;
  const asked = worths.reduce((sum, worth) => sum + worth, 0) || 1;
  const served = new Float64Array(worths.length);
  const open = places.slice(0, DEPTH);
  const order: number[] = [];
  while (open.length > 0) {
    const at = bestOf(open, (place) => {
      const { relevance, words } = candidates[place] ?? { relevance: 0, words: [] };
      const repeated = words.reduce((sum, word) => sum + (worths[word] ?? 0) * (served[word] ?? 0), 0);
      return relevance - (weight * repeated) / asked;
    });
    const [place = 0] = open.splice(at, 1);
    for (const word of candidates[place]?.words ?? []) served[word] = 1 - (1 - (served[word] ?? 0)) * LEFT;
    order.push(place);
  }
  return [...order, ...places.slice(DEPTH)];
}

/** The first of the places whose worth is greatest: its place among them. */
function bestOf(places: readonly number[], worthOf: (place: number) => number): number {
  let best = 0;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const [at, place] of places.entries()) {
    const worth = worthOf(place);
    if (worth > greatest) [best, greatest] = [at, worth];
  }
  return best;
}
