/** Candidates by their positions, best first, for re-ordering by variety. */
export interface Contenders {
  readonly count: number;
  /** Greater is better; 1 is the best by words. */
  relevanceOf(place: number): number;
  /** How well it matches the words of the query. Only called for the best. */
  matchesOf(place: number): readonly WordMatch[];
}

export interface WordMatch {
  /** Its place among the words of the query. */
  readonly word: number;
  /** 0 to 1. */
  readonly match: number;
}

/** The number of the best results that are re-ordered. */
const DEPTH = 30;
/** The share of a word's weight that a full match uses up. */
const TAKEN = 0.7;

/**
 * The order of results for a query with several requests, as positions: a result moves down if those before it already
 * cover its words.
 */
export function orderByVariety(contenders: Contenders, worths: Float64Array, weight: number): number[] {
  const places = Array.from({ length: contenders.count }, (_, place) => place);
  if (weight === 0) return places;
  const open = places.slice(0, DEPTH);
  const matches = open.map((place) => contenders.matchesOf(place));
  const left = new Float64Array(worths.length).fill(1);
  const order: number[] = [];
  while (open.length > 0) {
    const at = bestOf(open, (place) => {
      let repeated = 0;
      for (const { word, match } of matches[place] ?? [])
        repeated += (worths[word] ?? 0) * match * (1 - (left[word] ?? 1));
      return contenders.relevanceOf(place) - weight * repeated;
    });
    const [place = 0] = open.splice(at, 1);
    for (const { word, match } of matches[place] ?? []) left[word] = (left[word] ?? 1) * (1 - TAKEN * match);
    order.push(place);
  }
  return [...order, ...places.slice(DEPTH)];
}

/** The index of the first position with the greatest worth. */
function bestOf(places: readonly number[], worthOf: (place: number) => number): number {
  let best = 0;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < places.length; at += 1) {
    const worth = worthOf(places[at] ?? 0);
    if (worth > greatest) [best, greatest] = [at, worth];
  }
  return best;
}
