import type { IndexView } from "../../index/index-view.ts";

/** How well the endpoints of a document's provider match a query: if others match well, this one is more likely to. */
export interface ProviderEvidence {
  readonly best: number;
  /** The mean of the best few; missing ones count as zero. */
  readonly mean: number;
}

const FEW = 5;

/** Reads scores by document number, once for each provider. */
export function createProviderEvidence(view: IndexView, scores: Float32Array): (document: number) => ProviderEvidence {
  const known = new Map<number, ProviderEvidence>();
  const tops = new Float32Array(FEW);
  return (document) => {
    const { shard, offset } = view.partOf(document);
    const group = shard.groups[document - offset] ?? 0;
    const first = offset + (shard.groupStarts[group] ?? 0);
    const before = known.get(first);
    if (before !== undefined) return before;
    const end = offset + (shard.groupStarts[group + 1] ?? 0);
    tops.fill(0);
    for (let other = first; other < end; other += 1) insert(tops, scores[other] ?? 0);
    const sum = tops.reduce((total, score) => total + score, 0);
    const evidence = { best: tops[0] ?? 0, mean: sum / Math.min(FEW, Math.max(1, end - first)) };
    known.set(first, evidence);
    return evidence;
  };
}

/** Inserts into descending numbers; the smallest is dropped. */
function insert(tops: Float32Array, score: number): void {
  let place = tops.length - 1;
  if (score <= (tops[place] ?? 0)) return;
  for (; place > 0 && (tops[place - 1] ?? 0) < score; place -= 1) tops[place] = tops[place - 1] ?? 0;
  tops[place] = score;
}
