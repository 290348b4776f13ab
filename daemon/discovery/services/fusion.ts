/** Something found, with its score from 0 to 2. */
export interface Scored<Item> {
  readonly item: Item;
  readonly score: number;
}

/**
 * Combines the rankings by words and by meaning: the score is the mean of the two, which both say on the same scale how
 * certain a match is. A result found by meaning alone has 0 for words. One without a vector yet keeps its score by
 * words.
 */
export function fuseMeaning<Item>(
  byWords: readonly Scored<Item>[],
  byMeaning: ReadonlyMap<Item, number>,
): Scored<Item>[] {
  const words = new Map(byWords.map(({ item, score }) => [item, score]));
  const fused = byWords.map(({ item, score }) => ({ item, score: (score + (byMeaning.get(item) ?? score)) / 2 }));
  for (const [item, meaning] of byMeaning) if (!words.has(item)) fused.push({ item, score: meaning / 2 });
  // The sort is stable: of equal scores, the better one by words comes first.
  return fused.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
}

/** The weight of the reranker's order against the existing order. */
const RERANK_WEIGHT = 0.7;
const UNCALIBRATED_WEIGHT = 0.3;

/**
 * A ranking approximately in the reranker's order. Results without a reranker's score follow in their existing order.
 * `judged`: position → the reranker's score.
 */
export function fuseRerank<Item>(ranked: readonly Scored<Item>[], judged: ReadonlyMap<number, number>): Scored<Item>[] {
  return reorder(ranked, judged, { weight: RERANK_WEIGHT, unjudged: "last" });
}

/**
 * Combines words and meaning when the scale of the model's cosines is unknown: the nearest move up among what words
 * found, and others may be inserted, but only words decide whether anything fits.
 */
export function fuseUncalibrated<Item>(
  byWords: readonly Scored<Item>[],
  cosines: ReadonlyMap<Item, number>,
): Scored<Item>[] {
  const known = new Set(byWords.map(({ item }) => item));
  const others = [...cosines.keys()].filter((item) => !known.has(item));
  const all = [...byWords, ...others.map((item) => ({ item, score: 0 }))];
  const judged = new Map<number, number>();
  for (const [place, { item }] of all.entries()) {
    const cosine = cosines.get(item);
    if (cosine !== undefined) judged.set(place, cosine);
  }
  return reorder(all, judged, { weight: UNCALIBRATED_WEIGHT, unjudged: "where it was" }).filter(
    ({ score }) => score > 0,
  );
}

interface Judge {
  /** 0 to 1. */
  readonly weight: number;
  readonly unjudged: "last" | "where it was";
}

/**
 * The judge has a scale of its own, so it decides the order and not whether anything fits: the scores stay in place,
 * and the items move along them.
 */
function reorder<Item>(
  ranked: readonly Scored<Item>[],
  judged: ReadonlyMap<number, number>,
  { weight, unjudged }: Judge,
): Scored<Item>[] {
  const own = scaler(ranked.map(({ score }) => score));
  const theirs = scaler([...judged.values()]);
  const worth = (place: number): number => {
    const before = own(ranked[place]?.score ?? 0);
    const judgement = judged.get(place);
    if (judgement !== undefined) return weight * theirs(judgement) + (1 - weight) * before;
    return unjudged === "last" ? -1 : before;
  };
  const order = ranked.map(({ item }, place) => ({ item, worth: worth(place) }));
  order.sort((one, other) => other.worth - one.worth);
  const scores = apart(ranked.map(({ score }) => score));
  return order.map(({ item }, place) => ({ item, score: scores[place] ?? 0 }));
}

/** Descending scores, with equal ones separated slightly, so that sorting by them keeps the order. */
function apart(scores: readonly number[]): number[] {
  const result = [...scores];
  for (let place = result.length - 2; place >= 0; place -= 1) {
    result[place] = Math.max(result[place] ?? 0, (result[place + 1] ?? 0) * (1 + HAIR));
  }
  return result;
}

const HAIR = 1e-12;

/** Maps the smallest value to 0 and the greatest to 1. */
function scaler(values: readonly number[]): (value: number) => number {
  const least = values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const greatest = values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  return (value) => (greatest > least ? (value - least) / (greatest - least) : 0.5);
}
