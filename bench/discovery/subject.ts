import { join } from "node:path";
import { loadCatalog } from "../../daemon/catalog/catalog.ts";
import { compareText } from "../../daemon/base/compare-text.ts";
import type { IndexedDocument } from "../../daemon/discovery/index/shard/forward-index.ts";
import { MemoryGrantStore } from "../../test/support/memory-grant-store.ts";
import {
  BIG,
  DEVELOPMENT,
  JUDGED,
  type JudgedCollection,
  loadCollection,
  loadJudgedCollection,
  type Query,
} from "./collections.ts";
import { scaleTo } from "./scaled-catalog.ts";
import { serveCollection, type ShapedDocument, toIndexedDocument } from "./served-collection.ts";

/** The catalog that comes with the program. */
export const STARTER = "starter";

/** What an engine is measured on. */
export interface Subject {
  /** By the place of the document. */
  readonly ids: readonly string[];
  documents(): Iterable<IndexedDocument>;
  /** What the speed is measured with: its own, or those of the development collections. */
  readonly queries: readonly Query[];
  /** Absent where there are no judgements. */
  readonly judged?: JudgedCollection;
}

export interface Places {
  readonly evalDir: string;
  readonly projectDir: string;
}

/** A collection by its name; a number such as "10000" is so many endpoints of `big`, or made of them. */
export async function openSubject(name: string, { evalDir, projectDir }: Places): Promise<Subject> {
  if (JUDGED.includes(name)) {
    const judged = loadJudgedCollection(evalDir, name);
    return { ...serveCollection(judged), queries: judged.queries, judged };
  }
  const queries = mixedQueries(evalDir);
  if (name === STARTER) return { ...(await openStarter(projectDir)), queries };
  const big = loadCollection(evalDir, BIG);
  const endpoints = name === BIG ? big.endpoints : scaleTo(Number(name), big.endpoints);
  return { ...serveCollection({ endpoints }), queries };
}

/** In the order of a daemon's index. */
export async function openStarter(
  projectDir: string,
): Promise<{ readonly ids: readonly string[]; documents(): Iterable<ShapedDocument> }> {
  const folders = [{ dir: join(projectDir, "catalog"), bundled: true, trusted: true }];
  const catalog = await loadCatalog({ folders, grants: new MemoryGrantStore(), environment: {} });
  const entries = catalog
    .entries()
    .toSorted((a, b) => compareText(a.provider.provider, b.provider.provider) || compareText(a.path, b.path));
  return {
    ids: entries.map(({ provider, path }) => `${provider.provider}${path}`),
    documents: () => entries.map(toIndexedDocument),
  };
}

/** One of each collection in turn, as long as there are any. */
function mixedQueries(evalDir: string): Query[] {
  const all = DEVELOPMENT.map((name) => loadJudgedCollection(evalDir, name).queries);
  const longest = Math.max(...all.map((queries) => queries.length));
  return Array.from({ length: longest }, (_, place) => all.flatMap((queries) => queries[place] ?? [])).flat();
}
