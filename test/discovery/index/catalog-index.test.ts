import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { CatalogEntry } from "../../../daemon/catalog/entries/catalog-entry.ts";
import { buildShard } from "../../../daemon/discovery/index/shard/build-shard.ts";
import {
  type CatalogIndex,
  type CatalogIndexParts,
  createCatalogIndex,
  type IndexedCatalog,
} from "../../../daemon/discovery/index/catalog-index.ts";
import { openIndexFile } from "../../../daemon/discovery/index/index-file.ts";
import { createInProcessIndexer, type Indexer } from "../../../daemon/discovery/index/indexer.ts";
import { type IndexView, viewOf } from "../../../daemon/discovery/index/index-view.ts";
import { toSearchDocument } from "../../../daemon/discovery/documents/search-document.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { entriesOf, keyOf, madeUpEntry } from "./made-up-documents.ts";

const keysOf = ({ view, entries }: IndexedCatalog) =>
  entries.flatMap((entry, document) => (entry === undefined ? [] : keyOf(view, document))).sort();

const keyOfEntry = ({ provider, path }: CatalogEntry) => `${provider.provider}\n${path}`;

/** The keys of the documents that are served and have the stem. */
function having(view: IndexView, stem: string): string[] {
  return view.shards
    .flatMap(({ shard, offset, dead }) => {
      const term = shard.termOf(stem);
      if (term < 0) return [];
      const documents = shard.postingDocuments.subarray(shard.postingStarts[term], shard.postingStarts[term + 1]);
      return [...documents]
        .filter((document) => dead?.[document] !== 1)
        .map((document) => keyOf(view, document + offset));
    })
    .sort();
}

const builtAtOnce = (entries: readonly CatalogEntry[]) =>
  viewOf(
    buildShard(
      entries.map((entry) => ({
        provider: entry.provider.provider,
        path: entry.path,
        fields: toSearchDocument(entry),
      })),
    ),
  );

/** Tells how many documents it was given. */
function countingIndexer(): Indexer & { readonly built: readonly number[] } {
  const inner = createInProcessIndexer({});
  const built: number[] = [];
  return {
    ...inner,
    built,
    async build(providers, meanLengths) {
      const all = [...providers];
      built.push(all.reduce((sum, { documents }) => sum + [...documents].length, 0));
      return await inner.build(all, meanLengths);
    },
  };
}

/** Merges when it is let. */
function heldIndexer(): Indexer & { letMerge(): void } {
  const inner = createInProcessIndexer({});
  let letMerge = () => {};
  const mayMerge = new Promise<void>((resolve) => (letMerge = resolve));
  return {
    ...inner,
    merge: async (shares) => await mayMerge.then(() => inner.merge(shares)),
    letMerge: () => letMerge(),
  };
}

/** An index of a catalog that counts as large, whatever its size. */
function largeIndex(parts: CatalogIndexParts): CatalogIndex {
  return createCatalogIndex({ smallUpTo: 0, ...parts });
}

describe("the index of a small catalog", () => {
  test("is built when it is asked for, and stays the same as long as the catalog does", () => {
    const entries = entriesOf("books", 20);
    const index = createCatalogIndex({ entries: () => entries });

    const asked = index.current();

    expect(asked.view.size).toBe(20);
    expect(index.current()).toBe(asked);
  });

  test("goes on where its preparation was when a question comes, and nothing is built twice", async () => {
    const entries = entriesOf("books", 1_500);
    const index = createCatalogIndex({ entries: () => entries });

    const preparing = index.prepare();
    await nextTurn();
    const asked = index.current();
    await preparing;

    expect(asked.view.size).toBe(1_500);
    expect(index.current()).toBe(asked);
  });

  test("that was being prepared when the catalog changed does not take the place of what is newer", async () => {
    const [older, newer] = [entriesOf("books", 1_500), entriesOf("films", 1_500)];
    let now = older;
    const index = createCatalogIndex({ entries: () => now });

    const preparing = index.prepare();
    await nextTurn();
    now = newer;
    const asked = index.current();
    await preparing;

    expect(having(asked.view, "film")).toHaveLength(1_500);
    expect(index.current()).toBe(asked);
  });

  test("is after any change what one built at once is, to the byte", () => {
    const [books, films, songs] = [entriesOf("books", 5, "a"), entriesOf("films", 5, "b"), entriesOf("songs", 3, "c")];
    let now = [...books, ...films];
    const index = createCatalogIndex({ entries: () => now });
    index.current();

    for (const next of [[...books, ...songs], [...songs], [...books, ...films, ...songs]]) {
      now = next;
      const { view } = index.current();
      const fresh = createCatalogIndex({ entries: () => next }).current();
      const bytesOf = ({ shards }: IndexView) => shards.map(({ shard }) => Buffer.from(shard.buffer));
      expect(bytesOf(view)).toEqual(bytesOf(fresh.view));
    }
  });

  test("gives the entries of now when a change concerned nothing that is searched", () => {
    let now = entriesOf("books", 3);
    const index = createCatalogIndex({ entries: () => now });
    const before = index.current();
    now = now.map((entry) => ({ ...entry, verified: true }));

    const after = index.current();

    expect(after.entries).toEqual(now);
    expect(after.view.shards[0]?.shard).toBe(before.view.shards[0]?.shard);
  });
});

describe("the index of a large catalog", () => {
  test("is not there before it was prepared: a question waits for it, and one that cannot wait is told to come again", async () => {
    const entries = entriesOf("books", 10);
    const index = largeIndex({ entries: () => entries });

    expect(() => index.current()).toThrow(expect.objectContaining({ status: 503 }));
    await index.ready();

    expect(index.current().view.size).toBe(10);
  });

  test("answers as it last was until a change is prepared, and then only what changed is indexed anew", async () => {
    const [books, films] = [entriesOf("books", 100, "a"), entriesOf("films", 100, "b")];
    let now = [...books, ...films];
    const indexer = countingIndexer();
    const index = largeIndex({ entries: () => now, indexer });
    await index.prepare();
    now = [...books, ...films, ...entriesOf("songs", 5, "c")];

    const meanwhile = index.current();
    await index.prepare();

    expect(having(meanwhile.view, "song")).toEqual([]);
    expect(having(index.current().view, "song")).toHaveLength(5);
    expect(index.current().view.shards.map(({ shard }) => shard.size)).toEqual([200, 5]);
    expect(indexer.built).toEqual([200]);
  });

  test("loses what was removed, and what was changed is found by its new words alone", async () => {
    const rest = entriesOf("books", 100, "rest");
    const before = [...entriesOf("glaciers", 2, "changed"), ...entriesOf("glaciers", 2, "removed")];
    let now = [...rest, ...before];
    const index = largeIndex({ entries: () => now });
    await index.prepare();
    expect(index.current().view.documentsWith("glacier")).toBe(4);

    now = [...rest, ...entriesOf("rivers", 2, "changed")];
    await index.prepare();

    const { view } = index.current();
    expect([view.documentsWith("glacier"), having(view, "glacier")]).toEqual([0, []]);
    expect(view.documentsWith("river")).toBe(2);
    expect(view.size).toBe(102);
  });

  test("is made one again when much of it has changed, while it goes on answering", async () => {
    const rest = entriesOf("books", 50, "rest");
    let now = rest;
    const indexer = heldIndexer();
    const index = largeIndex({ entries: () => now, indexer });
    await index.prepare();

    now = [...rest, ...entriesOf("films", 10, "b")];
    await index.prepare();
    const meanwhile = index.current();
    indexer.letMerge();
    await index.close();

    expect(meanwhile.view.shards).toHaveLength(2);
    expect(index.current().view.shards).toHaveLength(1);
    expect(having(index.current().view, "film")).toEqual(having(meanwhile.view, "film"));
  });

  test("keeps what changed while its parts were made one", async () => {
    const rest = entriesOf("books", 50, "rest");
    let now = rest;
    const indexer = heldIndexer();
    const index = largeIndex({ entries: () => now, indexer });
    await index.prepare();
    now = [...rest, ...entriesOf("films", 10, "b"), ...entriesOf("songs", 10, "c")];
    await index.prepare();

    now = [...rest, ...entriesOf("rivers", 10, "b")];
    await index.prepare();
    indexer.letMerge();
    await index.close();

    const { view } = index.current();
    expect([view.documentsWith("film"), view.documentsWith("song"), view.documentsWith("river")]).toEqual([0, 0, 10]);
    expect(keysOf(index.current())).toEqual(now.map(keyOfEntry).sort());
  });

  test("is made one once more when much changed while its parts were made one", async () => {
    const rest = entriesOf("books", 50, "rest");
    let now = rest;
    const indexer = heldIndexer();
    const index = largeIndex({ entries: () => now, indexer });
    await index.prepare();
    now = [...rest, ...entriesOf("films", 10, "b")];
    await index.prepare();
    now = [...rest, ...entriesOf("rivers", 10, "b")];
    await index.prepare();

    indexer.letMerge();
    await vi.waitUntil(() => index.current().view.shards.length === 1, { timeout: 10_000 });

    expect(index.current().view.shards[0]?.shard.size).toBe(60);
    expect(having(index.current().view, "river")).toHaveLength(10);
    await index.close();
  });

  test("goes on in its parts when they cannot be made one, and says so", async () => {
    const rest = entriesOf("books", 50, "rest");
    let now = rest;
    const told: unknown[] = [];
    const noRoom = new Error("no room");
    const indexer = { ...createInProcessIndexer({}), merge: () => Promise.reject(noRoom) };
    const index = largeIndex({ entries: () => now, indexer, onMergeFailed: (error) => told.push(error) });
    await index.prepare();

    now = [...rest, ...entriesOf("films", 10, "b")];
    await index.prepare();
    await nextTurn();

    expect(told).toEqual([noRoom]);
    expect(having(index.current().view, "film")).toHaveLength(10);
  });

  test("after any changes finds what one that is built at once finds, and orders ties alike", async () => {
    const words = fc.constantFrom("rain", "rains", "tide", "tidal wave", "", "rain tide");
    const endpoints = fc.dictionary(fc.constantFrom("/a", "/b", "/c"), words, { noNullPrototype: true });
    const catalog = fc
      .dictionary(fc.constantFrom("ants", "bees", "crows", "dogs"), endpoints, { noNullPrototype: true })
      .map((providers) =>
        Object.entries(providers).flatMap(([provider, paths]) =>
          Object.entries(paths).map(([path, description]) => madeUpEntry({ provider, path, description })),
        ),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(catalog, { minLength: 1, maxLength: 6 }), async (editions) => {
        let now: CatalogEntry[] = [];
        const index = createCatalogIndex({ entries: () => now, smallUpTo: -1 });
        for (const edition of editions) {
          now = edition;
          await index.prepare();

          const indexed = index.current();
          const { view, entries } = indexed;
          const fresh = builtAtOnce(edition);
          expect(view.size).toBe(fresh.size);
          for (const stem of ["rain", "tide", "tidal", "wave", "ant", "bee", "snow"]) {
            expect(view.documentsWith(stem)).toBe(fresh.documentsWith(stem));
            expect(having(view, stem)).toEqual(having(fresh, stem));
          }
          const keys = entries.flatMap((entry, document) =>
            entry === undefined ? [] : ([[document, keyOfEntry(entry)]] as const),
          );
          for (const [document, key] of keys) expect(keyOf(view, document)).toBe(key);
          const numbers = keys.map(([document]) => document);
          expect(numbers.toSorted(view.compare).map((document) => keyOf(view, document))).toEqual(
            Array.from({ length: fresh.size }, (_, document) => keyOf(fresh, document)),
          );
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("the index of a large catalog in its file", () => {
  const edition = [...entriesOf("books", 100, "a"), ...entriesOf("films", 5, "b")];

  /** One start of a daemon: what it had to index, and its index. */
  async function start(folder: string, entries: readonly CatalogEntry[], stamp = "one") {
    const indexer = countingIndexer();
    const file = openIndexFile({ path: join(folder, "search-index.bin"), stamp: () => [stamp] });
    const index = largeIndex({ entries: () => entries, indexer, file });
    await index.prepare();
    await index.close();
    return { built: indexer.built, indexed: index.current() };
  }

  test("is taken by the next start, which indexes nothing", async () => {
    using data = tempDir();
    const first = await start(data.path, edition);

    const second = await start(data.path, edition);

    expect([first.built, second.built]).toEqual([[105], []]);
    expect(keysOf(second.indexed)).toEqual(keysOf(first.indexed));
    const bytesOf = ({ view }: IndexedCatalog) =>
      Buffer.concat(view.shards.map(({ shard }) => new Uint8Array(shard.buffer)));
    expect(bytesOf(second.indexed).equals(bytesOf(first.indexed))).toBe(true);
    expect(readdirSync(data.path)).toEqual(["search-index.bin"]);
  });

  test("serves what has not changed since, and the rest is indexed beside it", async () => {
    using data = tempDir();
    await start(data.path, edition);

    const { built, indexed } = await start(data.path, [...edition.slice(0, 100), ...entriesOf("songs", 5, "c")]);

    expect(built).toEqual([]);
    expect(indexed.view.documentsWith("film")).toBe(0);
    expect(having(indexed.view, "song")).toHaveLength(5);
  });

  test("is not taken by a program that indexes otherwise, and gives way to that one's", async () => {
    using data = tempDir();
    await start(data.path, edition, "one");

    const other = await start(data.path, edition, "two");
    const again = await start(data.path, edition, "two");

    expect([other.built, again.built]).toEqual([[105], []]);
  });

  test("that cannot be written leaves nothing behind, and the index serves without", async () => {
    using data = tempDir();
    mkdirSync(join(data.path, "search-index.bin"));

    const { indexed } = await start(data.path, edition);

    expect(indexed.view.size).toBe(105);
    expect(readdirSync(data.path)).toEqual(["search-index.bin"]);
  });

  test.each([
    ["torn", (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
    ["torn within its head", (bytes: Buffer) => bytes.subarray(0, 50)],
    ["empty", () => Buffer.alloc(0)],
    ["longer than it says", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("more")])],
    ["of another kind", (bytes: Buffer) => Buffer.concat([Buffer.from("mktidx99"), bytes.subarray(8)])],
    ["one bit off in its middle", (bytes: Buffer) => bytes.fill((bytes[9_000] ?? 0) ^ 1, 9_000, 9_001)],
    ["one bit off in its head", (bytes: Buffer) => bytes.fill((bytes[80] ?? 0) ^ 1, 80, 81)],
  ])("that is %s counts as its absence", async (_, damage) => {
    using data = tempDir();
    await start(data.path, edition);
    const path = join(data.path, "search-index.bin");
    writeFileSync(path, damage(readFileSync(path)));

    const { built, indexed } = await start(data.path, edition);

    expect(built).toEqual([105]);
    expect(keysOf(indexed)).toEqual(edition.map(keyOfEntry).sort());
  });
});
