import { setImmediate as nextTurn } from "node:timers/promises";
import type { WorkspaceId } from "../base/ids.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { type DiscoverFilter, passesDiscoverFilter } from "./discover-filter.ts";
import { shapeOfEntry } from "./documents/endpoint-shape.ts";
import type { DiscoverQuestion, Found, Match, Pool } from "./found.ts";
import { isUnavailable } from "./found.ts";
import { type HealthSource, healthSeenBy } from "./health/health.ts";
import type { CatalogIndex } from "./index/catalog-index.ts";
import { type RankedDocument, rankPhrasings } from "./phrasings/rank-phrasings.ts";
import type { Searches } from "./ranking/search.ts";
import { createUnavailabilityCheck, type Unavailability } from "./unavailability.ts";

/** What matches are made of. */
export interface MatchParts {
  readonly catalog: Pick<Catalog, "availability" | "toolChange" | "find">;
  readonly health: HealthSource;
  /** The accounts with which workspaces call endpoints that need a login; absent: that is not checked. */
  readonly accounts?: AccountSource | undefined;
}

/** Why a workspace cannot use its account at the provider; undefined if it can, or needs none. */
export interface AccountSource {
  whyNot(workspaceId: WorkspaceId, entry: CatalogEntry): { readonly why: string } | undefined;
}

export interface PoolParts extends MatchParts {
  readonly index: CatalogIndex;
  readonly searches: Pick<Searches, "of">;
}

/**
 * The best that pass the filters, by the ranking alone. Endpoints that cannot be run take no slots from others, unless
 * they were requested. Between two wordings it pauses.
 */
export async function fillPool(
  parts: PoolParts,
  question: DiscoverQuestion,
  { phrasings, limit }: Pick<Found, "phrasings"> & { readonly limit: number },
): Promise<Pool> {
  const { entries, view } = parts.index.current();
  const { isServed, toMatch, unavailabilityOf } = createMatching(parts, question);
  const steps = rankPhrasings(parts.searches.of(view), phrasings, {
    limit,
    accept: (document) => isServed(entryAt(entries, document)),
    shapeOf: (document) => shapeOfEntry(entryAt(entries, document)),
    // A hidden endpoint neither takes a slot nor affects the ranking of the others.
    ...(question.includeUnavailable !== true && {
      // Checked on the entry as it was indexed. `accept` checks whether it is still served, which takes longer.
      isHidden: (document) => unavailabilityOf(entryAt(entries, document)) !== undefined,
    }),
  });
  const { all, shown } = await runInPauses(steps, question.pause);
  const toMatches = (ranked: readonly RankedDocument[]) =>
    ranked.flatMap(({ document, score, chance, cosine, places }): Match[] => {
      const match = toMatch(entryAt(entries, document), score);
      return match === undefined
        ? []
        : [
            {
              ...match,
              cosine,
              ...(chance !== undefined && { chance }),
              ...(places !== undefined && { places }),
            },
          ];
    });
  return {
    callable: toMatches(shown).filter((match) => !isUnavailable(match)),
    unavailable: toMatches(all).filter(isUnavailable),
  };
}

/** How one question sees endpoints. */
export interface Matching {
  /** Whether it is in the catalog now and passes the filters. */
  isServed(entry: CatalogEntry): boolean;
  /** The endpoint as it is now; undefined when it has left the catalog. */
  toMatch(entry: CatalogEntry, score: number): Match | undefined;
  unavailabilityOf(entry: CatalogEntry): Unavailability | undefined;
}

export function createMatching(
  { catalog, ...parts }: MatchParts,
  { viewer, ...filter }: DiscoverFilter & Pick<DiscoverQuestion, "viewer">,
): Matching {
  const health = healthSeenBy(parts.health, viewer);
  const { accounts } = parts;
  const account =
    accounts === undefined || viewer === undefined
      ? undefined
      : (entry: CatalogEntry) => accounts.whyNot(viewer as WorkspaceId, entry);
  const unavailabilityOf = createUnavailabilityCheck({ catalog, health, account });
  return {
    unavailabilityOf,
    isServed(entry) {
      const served = servedNow(catalog, entry);
      return served !== undefined && passesDiscoverFilter(served, filter);
    },
    toMatch(indexed, score) {
      const entry = servedNow(catalog, indexed);
      if (entry === undefined) return undefined;
      const metrics = health.metrics(entry.provider.provider, entry.path);
      const unavailability = unavailabilityOf(entry);
      return { entry, score, metrics, ...(unavailability !== undefined && { unavailability }) };
    },
  };
}

/** The endpoint as it is now: the index may be slightly older. */
export function servedNow(catalog: Pick<Catalog, "find">, { provider, path }: CatalogEntry): CatalogEntry | undefined {
  return catalog.find(provider.provider, path);
}

async function runInPauses<Result>(
  steps: Generator<void, Result>,
  pause: () => Promise<void> = nextTurn,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

function entryAt(entries: readonly (CatalogEntry | undefined)[], document: number): CatalogEntry {
  const entry = entries[document];
  if (entry === undefined) throw new Error(`the index has a document ${document} that the catalog does not have`);
  return entry;
}
