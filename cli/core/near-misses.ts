import { findNearMisses } from "../../shared/near-misses.ts";

export { findNearMisses };

/** ` Did you mean a or b?`, or nothing: the end of a message of the CLI's own. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = findNearMisses(word, candidates);
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}
