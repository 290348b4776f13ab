import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadCategoryFiles } from "../../../daemon/catalog/categories/categories-file.ts";
import { CategoryTree } from "../../../daemon/catalog/categories/category-tree.ts";
import { CatalogLoader } from "../../../daemon/catalog/reading/catalog-loader.ts";
import { type FoldedReading, foldReading, unfoldReading } from "../../../daemon/catalog/reading/folded-reading.ts";
import { readProviderFile } from "../../../daemon/catalog/reading/provider-file.ts";
import { openProviderFileCache, type ProviderFileCache } from "../../../daemon/catalog/reading/provider-file-cache.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { catalogFolder, endpoint, fixturesDir, manifest } from "../catalog-folder.ts";

const catalogDir = join(import.meta.dirname, "../../../catalog");
const treeOf = async (files: readonly string[]) => new CategoryTree((await loadCategoryFiles(files)).data);
const manifestsIn = (dir: string) => readdirSync(dir).filter((name) => !/^(?:categories|thesaurus)\./.test(name));
const throughJson = (read: FoldedReading) => JSON.parse(JSON.stringify(read)) as FoldedReading;

describe("a reading that is folded, written and unfolded", () => {
  test.each([catalogDir, fixturesDir])("is the reading, for every file of %s", async (dir) => {
    const tree = await treeOf([join(catalogDir, "categories.yaml")]);
    for (const name of manifestsIn(dir)) {
      const read = await readProviderFile(join(dir, name), { folder: { dir, bundled: true, trusted: true }, tree });

      // Absent members and those that are undefined are one and the same to every reader.
      expect(unfoldReading(throughJson(foldReading(read))), name).toEqual(read);
    }
  });

  test("is the reading, whatever the endpoints have alike, and its endpoints share one provider", async () => {
    using folder = catalogFolder();
    const tree = await treeOf([]);
    const name = fc.constantFrom("/a", "/b", "/c", "/constructor", "/toString");
    const part = fc.record(
      {
        tags: fc.array(fc.constantFrom("x", "__proto__", "y")),
        notes: fc.array(fc.string({ unit: "grapheme", minLength: 1 })),
        price: fc.constantFrom({ type: "FREE" }, { type: "PER_CALL", amount: 0.000_000_1 }),
        input: fc.constantFrom(JSON.parse('{"body": {"properties": {"__proto__": {"type": "string"}}}}')),
      },
      { requiredKeys: ["price"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, part, { minKeys: 1, noNullPrototype: true }), async (parts) => {
        const endpoints = Object.fromEntries(
          Object.entries(parts).map(([path, facts]) => [
            path,
            endpoint({ input: {}, request: { method: "POST", path: "/x" }, ...facts }),
          ]),
        );
        const file = folder.write("shop", manifest({ endpoints }));
        const read = await readProviderFile(file, { folder: { dir: folder.path }, tree });

        const again = unfoldReading(throughJson(foldReading(read)));

        expect(again).toEqual(read);
        expect(new Set(again.loaded?.entries.map(({ provider }) => provider)).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a kept reading", () => {
  const withCache = async (dir: string, build: string, work: (cache: ProviderFileCache) => Promise<void>) => {
    const cache = openProviderFileCache({ dir, build });
    await work(cache);
    await cache.close();
  };
  const markKept = (dir: string) => {
    for (const name of readdirSync(dir)) {
      const kept = JSON.parse(readFileSync(join(dir, name), "utf8"));
      kept.read.entries[0].displayName = "kept";
      writeFileSync(join(dir, name), JSON.stringify(kept));
    }
  };
  const nameIn = async (cache: ProviderFileCache, dir: string, facts: object = {}) =>
    (await new CatalogLoader([{ dir, ...facts }], { cache }).load()).providers[0]?.entries[0]?.displayName;

  test("is taken as long as nothing that it depends on differs", async () => {
    using folder = catalogFolder();
    using data = tempDir();
    const dir = join(data.path, "cache");
    folder.write("shop", manifest());
    await withCache(dir, "one", async (cache) => void (await nameIn(cache, folder.path)));
    markKept(dir);

    const cache = openProviderFileCache({ dir, build: "one" });
    expect(await nameIn(cache, folder.path)).toBe("kept");
  });

  test.each<[string, { build?: string; facts?: object; change?: (folder: { write: Function; path: string }) => void }]>(
    [
      ["another build of the program", { build: "two" }],
      ["a folder that is trusted now", { facts: { trusted: true } }],
      ["a folder that is bundled now", { facts: { bundled: true } }],
      [
        "other categories",
        {
          change: (folder) =>
            void folder.write("categories", { mkt: 1, leaves: [{ id: "goods", displayName: "Goods" }] }),
        },
      ],
      ["a file that was written again", { change: (folder) => void folder.write("shop", manifest()) }],
    ],
  )("is not taken with %s", async (_, { build = "one", facts = {}, change }) => {
    using folder = catalogFolder();
    using data = tempDir();
    const dir = join(data.path, "cache");
    folder.write("shop", manifest());
    await withCache(dir, "one", async (cache) => void (await nameIn(cache, folder.path)));
    markKept(dir);

    change?.(folder);

    await withCache(dir, build, async (cache) => expect(await nameIn(cache, folder.path, facts)).toBe("/items/{id}"));
  });

  test.each([
    ["torn", (text: string) => text.slice(0, text.length / 2)],
    ["empty", () => ""],
    ["null", () => "null"],
    ["of another shape", (text: string) => text.replace('"alike":', '"other":')],
    [
      "without its entries' parts",
      (text: string) => text.replace(/"alike":\[.*?\],"provider"/s, '"alike":[],"provider"'),
    ],
  ])("that is %s counts as its absence", async (_, damage) => {
    using folder = catalogFolder();
    using data = tempDir();
    const dir = join(data.path, "cache");
    folder.write("shop", manifest());
    await withCache(dir, "one", async (cache) => void (await nameIn(cache, folder.path)));
    for (const name of readdirSync(dir)) {
      writeFileSync(join(dir, name), damage(readFileSync(join(dir, name), "utf8")));
    }

    const cache = openProviderFileCache({ dir, build: "one" });
    const { providers } = await new CatalogLoader([{ dir: folder.path }], { cache }).load();

    expect(providers[0]?.entries[0]).toMatchObject({ displayName: "/items/{id}", http: { timeoutMs: 30_000 } });
    await cache.close();
  });

  test("of categories that are wrong now is not taken for that of the next start", async () => {
    using folder = catalogFolder();
    using data = tempDir();
    const dir = join(data.path, "cache");
    folder.write("categories", {
      mkt: 1,
      tops: [{ id: "trade", displayName: "Trade", children: ["goods"] }],
      leaves: [{ id: "goods", displayName: "Goods" }],
    });
    await withCache(dir, "one", async (cache) => {
      const loader = new CatalogLoader([{ dir: folder.path }], { cache });
      await loader.load();
      folder.write("categories.json", "{");
      folder.write("shop", manifest({ categories: ["trade/goods"] }));
      expect((await loader.load()).providers[0]?.entries[0]?.categories).toEqual(["trade/goods"]);
    });

    await withCache(dir, "one", async (cache) => {
      const { providers } = await new CatalogLoader([{ dir: folder.path }], { cache }).load();
      expect(providers[0]?.entries[0]?.categories).toEqual([]);
    });
  });

  test("goes with its file, and what others keep in the folder stays", async () => {
    using folder = catalogFolder();
    using data = tempDir();
    const dir = join(data.path, "cache");
    folder.write("shop", manifest());
    await withCache(dir, "one", async (cache) => void (await nameIn(cache, folder.path)));
    writeFileSync(join(dir, "search-index.bin"), "an index");
    const [kept] = readdirSync(dir).filter((name) => name.endsWith(".json"));

    await withCache(dir, "one", async (cache) => await cache.retain([]));

    expect(kept).toMatch(/^[0-9a-f]{64}\.json$/);
    expect(readdirSync(dir)).toEqual(["search-index.bin"]);
  });

  test("of a file that could not be read is not kept", async () => {
    using folder = catalogFolder();
    using data = tempDir();
    const dir = join(data.path, "cache");
    const nothing = {
      read: async () => ({ alike: [], problems: [tooLong] }),
      rest: () => {},
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
    const tooLong = { file: "shop.json", path: "", rule: "size", message: "took too long", takesDown: "file" as const };
    folder.write("shop", manifest());
    const cache = openProviderFileCache({ dir, build: "one" });
    const { problems } = await new CatalogLoader([{ dir: folder.path }], { cache, processes: nothing }).load();
    expect(problems).toEqual([tooLong]);
    await cache.close();

    const { providers } = await new CatalogLoader([{ dir: folder.path }], { cache }).load();

    expect(providers).toHaveLength(1);
    await cache.close();
  });
});
