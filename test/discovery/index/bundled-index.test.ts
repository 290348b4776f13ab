import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CatalogEntry } from "../../../daemon/catalog/entries/catalog-entry.ts";
import { loadCatalog } from "../../../daemon/catalog/catalog.ts";
import { loadBundledReadings } from "../../../daemon/catalog/reading/bundled-readings.ts";
import { openBundledIndex } from "../../../daemon/discovery/index/bundled-index.ts";
import { createCatalogIndex, type IndexedCatalog } from "../../../daemon/discovery/index/catalog-index.ts";
import type { Shard } from "../../../daemon/discovery/index/shard/shard.ts";
import { MemoryGrantStore } from "../../support/memory-grant-store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { entriesOf } from "./made-up-documents.ts";

const builtCatalog = join(import.meta.dirname, "../../../dist/catalog");

/** Written by a build and read by a start. */
async function shardOf(entries: readonly CatalogEntry[]): Promise<Shard | undefined> {
  using home = tempDir();
  const index = openBundledIndex(join(home.path, "catalog"));
  await index.write(entries, {});
  return await index.load();
}

const bytesOf = ({ view }: IndexedCatalog) => view.shards.map(({ shard }) => Buffer.from(shard.buffer));

test("the index that the build made has every endpoint that a fresh daemon offers", async () => {
  const folders = [{ dir: builtCatalog, bundled: true, trusted: true }];
  const reading = { bundled: loadBundledReadings(builtCatalog) };
  const catalog = await loadCatalog({ folders, reading, grants: new MemoryGrantStore(), environment: {} });
  const prepared = await openBundledIndex(builtCatalog).load();

  const index = createCatalogIndex({ entries: () => catalog.entries(), prepared });

  expect(prepared?.size).toBe(catalog.entries().length);
  const shards = index.current().view.shards.map(({ shard }) => shard);
  expect(shards).toHaveLength(1);
  expect(shards[0]).toBe(prepared);
  expect(prepared?.dimensions).toBeGreaterThan(0);
});

test("an index that the build prepared serves only what has not changed since, and is to the byte one built at once", async () => {
  const [books, films, songs] = [entriesOf("books", 5, "a"), entriesOf("films", 5, "b"), entriesOf("songs", 3, "c")];
  const changed = entriesOf("novels", 5, "a");
  const prepared = await shardOf([...books, ...films]);

  for (const listed of [
    [...books, ...films],
    [...films],
    [...books, ...films, ...songs],
    [...changed, ...films],
    songs,
  ]) {
    const index = createCatalogIndex({ entries: () => listed, prepared });
    const fresh = createCatalogIndex({ entries: () => listed });

    expect(bytesOf(index.current())).toEqual(bytesOf(fresh.current()));
  }
});

test("a damaged index of the build counts as none", async () => {
  using home = tempDir();
  const dir = join(home.path, "catalog");
  await openBundledIndex(dir).write(entriesOf("books", 5), {});
  expect((await openBundledIndex(dir).load())?.size).toBe(5);

  writeFileSync(join(home.path, "discovery", "bundled-index.bin"), "cut off");

  expect(await openBundledIndex(dir).load()).toBeUndefined();
});
