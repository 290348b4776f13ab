/** Keeps the best of many without sorting them: a heap whose root is the worst kept one. */
export interface BestOf {
  /** A lower score would not be kept. */
  least(): number;
  offer(document: number, score: number): void;
  /** The kept documents, unordered. */
  documents(): readonly number[];
}

/** Of equal scores, the one that `compare` puts first is better. */
export function createBestOf(limit: number, compare: (a: number, b: number) => number): BestOf {
  const documents = new Uint32Array(limit);
  const scores = new Float64Array(limit);
  let count = 0;
  let least = limit === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;

  function isWorse(document: number, score: number, place: number): boolean {
    const other = scores[place] ?? 0;
    return score === other ? compare(document, documents[place] ?? 0) > 0 : score < other;
  }

  function put(place: number, document: number, score: number): void {
    documents[place] = document;
    scores[place] = score;
  }

  function move(from: number, to: number): void {
    put(to, documents[from] ?? 0, scores[from] ?? 0);
  }

  function rise(document: number, score: number): void {
    let place = count;
    for (; place > 0; place = (place - 1) >> 1) {
      const parent = (place - 1) >> 1;
      if (!isWorse(document, score, parent)) break;
      move(parent, place);
    }
    put(place, document, score);
  }

  function sink(document: number, score: number): void {
    let place = 0;
    for (let child = 1; child < limit; child = 2 * place + 1) {
      const right = child + 1;
      const worst = right < limit && isWorse(documents[right] ?? 0, scores[right] ?? 0, child) ? right : child;
      if (isWorse(document, score, worst)) break;
      move(worst, place);
      place = worst;
    }
    put(place, document, score);
  }

  return {
    least: () => least,
    offer(document, score) {
      if (count < limit) {
        rise(document, score);
        count += 1;
      } else if (limit > 0 && !isWorse(document, score, 0)) {
        sink(document, score);
      }
      if (count === limit) least = scores[0] ?? least;
    },
    documents: () => [...documents.subarray(0, count)],
  };
}
