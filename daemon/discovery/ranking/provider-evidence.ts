import type { IndexView } from "../index/index-view.ts";
import type { WordMatches } from "./match-words.ts";

/** What the endpoints of a document's provider have of a query: who has much of it elsewhere is the likelier here. */
export interface ProviderEvidence {
  readonly best: number;
  /** Of the best few; endpoints that have nothing count as none. */
  readonly mean: number;
}

const FEW = 5;

/** For one query after another, in memory that is taken once. Valid until the next. */
export function createProviderEvidence(
  view: IndexView,
): (matches: WordMatches) => (document: number) => ProviderEvidence {
  const parts = view.segments.map(({ segment, offset }) => ({
    offset,
    groups: segment.groups,
    starts: segment.groupStarts,
    /** The best scores of each group, the greatest first. */
    tops: new Float32Array(segment.groupNames.length * FEW),
  }));
  const partOf = (document: number) => {
    const part = parts.length === 1 ? parts[0] : parts.findLast(({ offset }) => offset <= document);
    if (part === undefined) throw new RangeError(`the index has no document ${document}`);
    return part;
  };

  return ({ scores, found }) => {
    for (const { tops } of parts) tops.fill(0);
    for (const document of found) {
      const { groups, offset, tops } = partOf(document);
      insert(tops, (groups[document - offset] ?? 0) * FEW, scores[document] ?? 0);
    }
    return (document) => {
      const { groups, offset, starts, tops } = partOf(document);
      const group = groups[document - offset] ?? 0;
      let sum = 0;
      for (let at = group * FEW; at < (group + 1) * FEW; at += 1) sum += tops[at] ?? 0;
      const endpoints = (starts[group + 1] ?? 0) - (starts[group] ?? 0);
      return { best: tops[group * FEW] ?? 0, mean: sum / Math.min(FEW, Math.max(1, endpoints)) };
    };
  };
}

/** Into a descending run of `FEW` numbers; the least falls out. */
function insert(tops: Float32Array, from: number, score: number): void {
  let place = from + FEW - 1;
  if (score <= (tops[place] ?? 0)) return;
  for (; place > from && (tops[place - 1] ?? 0) < score; place -= 1) tops[place] = tops[place - 1] ?? 0;
  tops[place] = score;
}
