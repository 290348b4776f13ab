import type { IndexView } from "../../index/index-view.ts";
import type { Cosines } from "./similarity.ts";

/** A provider of more endpoints is no one subject. */
const ONE_SUBJECT = 60;
/** So many of them are looked at. */
const LOOKED_AT = 16;

/** The mean cosine of the endpoints of the document's provider; its own where they are too many to have one subject. */
export function providerCosine(view: IndexView, cosines: Cosines, document: number): number {
  const { shard, offset } = view.partOf(document);
  const group = shard.groups[document - offset] ?? 0;
  const [start = 0, end = 0] = [shard.groupStarts[group], shard.groupStarts[group + 1]];
  if (end - start > ONE_SUBJECT) return cosines[document] ?? 0;
  const step = Math.max(1, (end - start) / LOOKED_AT);
  let [sum, looked] = [0, 0];
  for (let local = start; local < end; local += step) {
    sum += cosines[offset + Math.floor(local)] ?? 0;
    looked += 1;
  }
  return sum / looked;
}
