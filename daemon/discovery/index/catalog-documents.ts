import { createHash } from "node:crypto";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { searchFields, toSearchDocument } from "../documents/search-document.ts";
import { compareText } from "../../base/compare-text.ts";
import type { ProviderDocument, ProviderDocuments } from "./shard/build-shard.ts";

/** The endpoints of one provider, as the index sees them. */
export interface IndexedProvider {
  /** In the catalog's order. */
  readonly listed: readonly CatalogEntry[];
  /** By path, which is the order of their documents. */
  readonly entries: readonly CatalogEntry[];
  /** Digest of everything that is indexed: when it is the same, so is the index. */
  readonly digest: string;
}

/** By slug, ascending. */
export type IndexedProviders = ReadonlyMap<string, IndexedProvider>;

/**
 * The providers of a catalog. Those whose endpoints are the same objects as before are not read again. A step takes
 * about a millisecond.
 */
export function* readProviders(
  entries: readonly CatalogEntry[],
  before?: IndexedProviders,
): Generator<void, IndexedProviders> {
  const providers = new Map<string, IndexedProvider>();
  for (const [slug, listed] of listByProvider(entries)) {
    const known = before?.get(slug);
    providers.set(slug, known !== undefined && isSameList(known.listed, listed) ? known : yield* readProvider(listed));
    yield;
  }
  return providers;
}

function listByProvider(entries: readonly CatalogEntry[]): [string, CatalogEntry[]][] {
  const lists = new Map<string, CatalogEntry[]>();
  let last: { readonly slug: string; readonly list: CatalogEntry[] } | undefined;
  for (const entry of entries) {
    const slug = entry.provider.provider;
    // Endpoints of one provider are mostly adjacent.
    if (last?.slug !== slug) {
      last = { slug, list: lists.get(slug) ?? [] };
      lists.set(slug, last.list);
    }
    last.list.push(entry);
  }
  return [...lists].sort(([a], [b]) => compareText(a, b));
}

function isSameList(some: readonly CatalogEntry[], others: readonly CatalogEntry[]): boolean {
  return some.length === others.length && some.every((entry, place) => others[place] === entry);
}

function* readProvider(listed: readonly CatalogEntry[]): Generator<void, IndexedProvider> {
  const entries = listed.toSorted((a, b) => compareText(a.path, b.path));
  const digest = createHash("sha256");
  for (const entry of entries) {
    const fields = toSearchDocument(entry);
    digest.update(JSON.stringify([entry.path, ...searchFields.map((field) => fields[field])]));
    yield;
  }
  return { listed, entries, digest: digest.digest("hex") };
}

/** The indexed documents of a provider, created lazily. */
export function documentsOf(provider: string, { entries, digest }: IndexedProvider): ProviderDocuments {
  return { provider, digest, documents: { [Symbol.iterator]: () => makeDocuments(entries) } };
}

/** The indexed documents of these providers, by their slugs, created lazily. */
export function* documentsOfAll(providers: IndexedProviders, slugs: Iterable<string>): Generator<ProviderDocuments> {
  for (const slug of slugs) {
    const provider = providers.get(slug);
    if (provider !== undefined) yield documentsOf(slug, provider);
  }
}

function* makeDocuments(entries: readonly CatalogEntry[]): Generator<ProviderDocument> {
  for (const entry of entries) yield { path: entry.path, fields: toSearchDocument(entry) };
}
