/** Something found, with its score from 0 to 2. */
export interface Scored<Item> {
  readonly item: Item;
  readonly score: number;
}

/**
 * The ranking by words and the ranking by meaning, made one: the score is the mean of the two, each of which says on the
 * same scale how surely the item is what was asked for. What only the meaning finds had no words: 0. What has no vector yet
 * is taken at its word.
 */
export function fuseMeaning<Item>(
  byWords: readonly Scored<Item>[],
  byMeaning: ReadonlyMap<Item, number>,
): Scored<Item>[] {
  const words = new Map(byWords.map(({ item, score }) => [item, score]));
  const fused = byWords.map(({ item, score }) => ({ item, score: (score + (byMeaning.get(item) ?? score)) / 2 }));
  for (const [item, meaning] of byMeaning) if (!words.has(item)) fused.push({ item, score: meaning / 2 });
  // The sort is stable: of equals, what has more words comes first.
  return fused.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
}

/** How much another judge counts for the order, beside the order that was there. */
const RERANK_WEIGHT = 0.7;
const UNCALIBRATED_WEIGHT = 0.3;

/**
 * A ranking in the order that a reranker has it, roughly. What it left out follows in the order that was there.
 * `judged`: place → the reranker's score.
 */
export function fuseRerank<Item>(ranked: readonly Scored<Item>[], judged: ReadonlyMap<number, number>): Scored<Item>[] {
  return reorder(ranked, judged, { weight: RERANK_WEIGHT, unjudged: "last" });
}

/**
 * Words and meaning made one where nobody knows what a cosine of the model means: the nearest move up among what words
 * found, and may come between, but whether anything fits is for words alone to say.
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
 * The scale of the judge is its own, so that it decides about the order and not about whether anything fits: the scores stay
 * where they are, and the items move along them.
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

/** Falling scores, equals a hair apart, so that nobody who sorts by them undoes the order. */
function apart(scores: readonly number[]): number[] {
  const result = [...scores];
  for (let place = result.length - 2; place >= 0; place -= 1) {
    result[place] = Math.max(result[place] ?? 0, (result[place + 1] ?? 0) * (1 + HAIR));
  }
  return result;
}

const HAIR = 1e-12;

/** The least of the values → 0, the greatest → 1. */
function scaler(values: readonly number[]): (value: number) => number {
  const least = values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const greatest = values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  return (value) => (greatest > least ? (value - least) / (greatest - least) : 0.5);
}
