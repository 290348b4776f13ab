import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { IndexedProviders } from "./catalog-documents.ts";
import { createIndexView, type IndexView } from "./index-view.ts";
import type { ShardShare } from "./shard/build-shard.ts";
import type { Shard } from "./shard/shard.ts";

/** Which documents of which shards belong to the catalog. */
export interface Serving {
  /** Oldest first; shards that serve nothing are left out. */
  readonly served: readonly { readonly shard: Shard; readonly groups: ReadonlySet<number> }[];
  /** Slugs, ascending; no shard has their current documents. */
  readonly missing: readonly string[];
}

/**
 * A provider is served by the newest shard that has its current documents, identified by their digest. So no record of
 * changes is needed: shards may come from a file, from a merge, or late.
 */
export function chooseServed(shards: readonly Shard[], providers: IndexedProviders): Serving {
  const missing = new Set(providers.keys());
  const served = shards.toReversed().map((shard) => {
    const groups = new Set<number>();
    for (const [group, name] of shard.groupNames.entries()) {
      if (!missing.has(name) || providers.get(name)?.digest !== shard.groupDigests[group]) continue;
      missing.delete(name);
      groups.add(group);
    }
    return { shard, groups };
  });
  return { served: served.toReversed().filter(({ groups }) => groups.size > 0), missing: [...missing] };
}

/** A few shards cost little, but each one adds to every query. */
const MAX_PARTS = 8;
/** The share of changed documents above which they are merged with the rest. */
const MAX_CHANGED_SHARE = 0.1;

/** Whether several shards should be merged. */
export function isScattered({ served }: Serving): boolean {
  const [base, ...changed] = served;
  if (base === undefined) return false;
  const added = changed.reduce((sum, { shard }) => sum + shard.size, 0);
  const dead = base.shard.size - liveSizeOf(base);
  return served.length > MAX_PARTS || added + dead > MAX_CHANGED_SHARE * (liveSizeOf(base) + added);
}

/** The parts of each shard that a merge keeps. */
export function sharesOf({ served }: Serving): ShardShare[] {
  return served.map(({ shard, groups }) => ({ shard, groups: [...groups] }));
}

export function isOneShard({ served }: Serving): boolean {
  return served.length <= 1 && served.every((part) => liveSizeOf(part) === part.shard.size);
}

/** The number of its documents that are served. */
function liveSizeOf({ shard, groups }: Serving["served"][number]): number {
  let size = 0;
  for (const group of groups) size += (shard.groupStarts[group + 1] ?? 0) - (shard.groupStarts[group] ?? 0);
  return size;
}

/** The entries of a catalog with their index. */
export interface IndexedCatalog {
  readonly view: IndexView;
  /** By the number that a document has in the view; undefined for a number that is not served. */
  readonly entries: readonly (CatalogEntry | undefined)[];
}

export function toIndexedCatalog({ served }: Serving, providers: IndexedProviders): IndexedCatalog {
  const view = createIndexView(served);
  const entries: (CatalogEntry | undefined)[] = Array.from({ length: view.bound });
  for (const [place, { shard, groups }] of served.entries()) {
    const offset = view.shards[place]?.offset ?? 0;
    for (const group of groups) {
      const own = providers.get(shard.groupNames[group] ?? "")?.entries ?? [];
      let document = offset + (shard.groupStarts[group] ?? 0);
      for (const entry of own) {
        entries[document] = entry;
        document += 1;
      }
    }
  }
  return { view, entries };
}
