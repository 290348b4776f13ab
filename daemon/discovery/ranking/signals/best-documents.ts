import type { IndexView } from "../../index/index-view.ts";
import { createBestOf } from "./best-of.ts";

export interface BestDocumentsOptions {
  readonly count: number;
  /** Only higher scores are considered. */
  readonly above: number;
  readonly accept: (document: number) => boolean;
}

/** The accepted documents with the highest scores, unordered. Scores are by document number. */
export function bestDocuments(
  view: IndexView,
  scores: Float32Array,
  { count, above, accept }: BestDocumentsOptions,
): readonly number[] {
  const best = createBestOf(count, view.compare);
  let least = best.least();
  for (const { shard, offset, dead } of view.shards) {
    const end = offset + shard.size;
    for (let document = offset; document < end; document += 1) {
      const score = scores[document] ?? 0;
      if (score < least || score <= above || dead?.[document - offset] === 1 || !accept(document)) continue;
      best.offer(document, score);
      least = best.least();
    }
  }
  return best.documents();
}
