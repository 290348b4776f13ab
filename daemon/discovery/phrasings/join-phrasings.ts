/*
 * One ranking of several, of one need in several phrasings:
 *
 *   order     Σ over phrasings  1 / (10 + place)                     reciprocal rank: places count, since scores of
 *                                                                    different phrasings differ for other reasons too
 *   odds      mean over phrasings of the log-odds of its score       0.05 where a phrasing did not find it
 *   score     2 · σ((1 + g) · odds − g),  g = 1.2 · (1 − 1/n)        n phrasings that agree are surer than one, and
 *                                                                    without agreement even a high score means little
 *
 * For one phrasing the order and the scores stay as they are. The constants were chosen on the asks with rephrasings in
 * test/discovery/asks; they hold for two phrasings as well as for six.
 */

/** Something that a phrasing found, with its score: above 0 and below 2. */
export interface PhrasingResult<Item> {
  readonly item: Item;
  readonly score: number;
}

export interface JoinedResult<Item> extends PhrasingResult<Item> {
  /** For each phrasing its place there, from 1; undefined where it was not found. */
  readonly places: readonly (number | undefined)[];
}

const RANK_OFFSET = 10;
/** Lower places say nothing about what is right. */
const DEPTH = 50;
const MAX_SCORE = 2;
const NOT_FOUND_SCORE = 0.05;
const AGREEMENT = 1.2;
/** Between adjacent results, in log-odds: keeps the scores in the order of the results. */
const STEP = 1e-6;

/** Joins rankings of the same items, each best first, into one, best first. An item occurs once in a ranking. */
export function joinPhrasings<Item>(rankings: readonly (readonly PhrasingResult<Item>[])[]): JoinedResult<Item>[] {
  const found = new Map<Item, Found<Item>>();
  const notFound = logOdds(NOT_FOUND_SCORE);
  for (const [phrasing, ranking] of rankings.entries()) {
    for (const [at, { item, score }] of ranking.entries()) {
      const known = found.get(item) ?? newlyFound(item, rankings.length);
      found.set(item, known);
      known.places[phrasing] = at + 1;
      known.odds += (logOdds(score) - notFound) / rankings.length;
    }
  }
  // The sort is stable: of equal ones, what the query itself found comes first.
  const ordered = [...found.values()]
    .map((one) => ({ ...one, worth: worthOf(one.places) }))
    .sort((one, other) => other.worth - one.worth || other.odds - one.odds);
  const gain = AGREEMENT * (1 - 1 / rankings.length);
  return withFallingScores(ordered, gain);
}

interface Found<Item> {
  readonly item: Item;
  readonly places: (number | undefined)[];
  odds: number;
}

function newlyFound<Item>(item: Item, phrasings: number): Found<Item> {
  const places: (number | undefined)[] = Array.from({ length: phrasings });
  return { item, places, odds: logOdds(NOT_FOUND_SCORE) };
}

/** Summed in the order of the places, whichever phrasing has them: rounding must not tell equal sums apart. */
function worthOf(places: readonly (number | undefined)[]): number {
  return places
    .filter((place) => place !== undefined && place <= DEPTH)
    .toSorted((one = 0, other = 0) => one - other)
    .reduce<number>((sum, place = 0) => sum + 1 / (RANK_OFFSET + place), 0);
}

/** A result never scores lower than those after it, as in the ranking of one query. */
function withFallingScores<Item>(ordered: readonly Found<Item>[], gain: number): JoinedResult<Item>[] {
  const values = ordered.map(({ odds }) => (1 + gain) * odds - gain);
  for (let at = values.length - 2; at >= 0; at -= 1) {
    values[at] = Math.max(values[at] ?? 0, (values[at + 1] ?? 0) + STEP);
  }
  return ordered.map(({ item, places }, at) => ({
    item,
    places,
    score: MAX_SCORE / (1 + Math.exp(-(values[at] ?? 0))),
  }));
}

function logOdds(score: number): number {
  const within = Math.min(MAX_SCORE - 1e-6, Math.max(NOT_FOUND_SCORE, score));
  return Math.log(within / (MAX_SCORE - within));
}
