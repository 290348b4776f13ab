import { searchFields } from "../../documents/search-document.ts";
import type { IndexView } from "../../index/index-view.ts";
import { fieldTermsOf } from "../../index/shard/shard.ts";

const PROVIDER = searchFields.indexOf("provider");

/** The stems that providers are called by. */
export function stemsOfProviderNames({ shards }: IndexView): ReadonlySet<string> {
  return new Set(
    shards.flatMap(({ shard }) => {
      const terms = new Set<number>();
      for (const first of shard.groupStarts.subarray(0, shard.groupNames.length)) {
        if (first < shard.size) for (const term of fieldTermsOf(shard, first, PROVIDER)) terms.add(term);
      }
      return Array.from(terms, shard.stemOf);
    }),
  );
}
