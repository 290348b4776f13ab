/** A candidate as far as variety is concerned. */
interface Candidate {
  /** Greater is better; 1 is that of the best by words. */
  readonly relevance: number;
  /** How well it matches the words of the query, by their places; 0 to 1 each. Asked of the best alone. */
  matches(): readonly WordMatch[];
}

export interface WordMatch {
  readonly word: number;
  readonly match: number;
}

/** So many of the best are looked through. */
const DEPTH = 30;
/** How much of a word's worth a result takes that matches it in full. */
const TAKEN = 0.7;

/**
 * The order in which a query with several wishes is served: a result gives way for words that those before it have served
 * already. Takes candidates best first, and gives their places.
 */
export function orderByVariety(candidates: readonly Candidate[], worths: Float64Array, weight: number): number[] {
  const places = [...candidates.keys()];
  if (weight === 0) return places;
  const left = new Float64Array(worths.length).fill(1);
  const best = candidates.slice(0, DEPTH).map((candidate) => ({ ...candidate, words: candidate.matches() }));
  const open = [...best.keys()];
  const order: number[] = [];
  while (open.length > 0) {
    const at = bestOf(open, (place) => {
      const { relevance, words } = best[place] ?? { relevance: 0, words: [] };
      const repeated = words.reduce(
        (sum, { word, match }) => sum + (worths[word] ?? 0) * match * (1 - (left[word] ?? 1)),
        0,
      );
      return relevance - weight * repeated;
    });
    const [place = 0] = open.splice(at, 1);
    for (const { word, match } of best[place]?.words ?? []) left[word] = (left[word] ?? 1) * (1 - TAKEN * match);
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
