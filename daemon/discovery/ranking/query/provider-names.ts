import { searchFields } from "../../documents/search-document.ts";
import type { IndexView } from "../../index/index-view.ts";
import { fieldTermsOf } from "../../index/shard/shard.ts";

const PROVIDER = searchFields.indexOf("provider");

/** The stems that providers are called by. */
export function stemsOfProviderNames({ segments }: IndexView): ReadonlySet<string> {
  return new Set(
    segments.flatMap(({ segment }) => {
      const terms = new Set<number>();
      for (const first of segment.groupStarts.subarray(0, segment.groupNames.length)) {
        if (first < segment.size) for (const term of fieldTermsOf(segment, first, PROVIDER)) terms.add(term);
      }
      return Array.from(terms, segment.stemOf);
    }),
  );
}
