/** Candidates by their places, best first, as far as variety is concerned. */
export interface Contenders {
  readonly count: number;
  /** Greater is better; 1 is that of the best by words. */
  relevanceOf(place: number): number;
  /** How well it matches the words of the query. Asked of the best alone. */
  matchesOf(place: number): readonly WordMatch[];
}

export interface WordMatch {
  /** Its place among those of the query. */
  readonly word: number;
  /** 0 to 1. */
  readonly match: number;
}

/** So many of the best are looked through. */
const DEPTH = 30;
/** How much of a word's worth a result takes that matches it in full. */
const TAKEN = 0.7;

/**
 * The order in which a query with several wishes is served, as places: a result gives way for words that those before it have
 * served already.
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

/** The first of the places whose worth is greatest: its place among them. */
function bestOf(places: readonly number[], worthOf: (place: number) => number): number {
  let best = 0;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < places.length; at += 1) {
    const worth = worthOf(places[at] ?? 0);
    if (worth > greatest) [best, greatest] = [at, worth];
  }
  return best;
}
