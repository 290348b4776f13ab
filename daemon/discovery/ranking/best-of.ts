/**
 * Keeps the best of many without sorting all: a heap whose root is the worst that is kept.
 */
export interface BestOf {
  /** Whether one of this score would be kept, as long as no tie has to be broken. */
  isWorth(score: number): boolean;
  offer(document: number, score: number): void;
  /** Best first. */
  take(): Scored[];
}

export interface Scored {
  readonly document: number;
  readonly score: number;
}

/** Of equal scores the one that `compare` puts first is the better. */
export function createBestOf(limit: number, compare: (a: number, b: number) => number): BestOf {
  const heap: Scored[] = [];
  const isWorse = (a: Scored, b: Scored) =>
    a.score === b.score ? compare(a.document, b.document) > 0 : a.score < b.score;

  function up(place: number): void {
    for (let at = place; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!swapIfWorse(at, parent)) return;
      at = parent;
    }
  }

  function down(): void {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const worst = isWorseAt(right, left) ? right : left;
      if (!swapIfWorse(worst, at)) return;
      at = worst;
    }
  }

  function isWorseAt(a: number, b: number): boolean {
    const [first, second] = [heap[a], heap[b]];
    return first !== undefined && second !== undefined && isWorse(first, second);
  }

  function swapIfWorse(at: number, than: number): boolean {
    const [first, second] = [heap[at], heap[than]];
    if (first === undefined || second === undefined || !isWorse(first, second)) return false;
    heap[at] = second;
    heap[than] = first;
    return true;
  }

  return {
    isWorth: (score) => heap.length < limit || score >= (heap[0]?.score ?? Number.POSITIVE_INFINITY),
    offer(document, score) {
      const offered = { document, score };
      if (heap.length < limit) {
        heap.push(offered);
        up(heap.length - 1);
        return;
      }
      const worst = heap[0];
      if (worst === undefined || !isWorse(worst, offered)) return;
      heap[0] = offered;
      down();
    },
    take: () => heap.toSorted((a, b) => b.score - a.score || compare(a.document, b.document)),
  };
}
