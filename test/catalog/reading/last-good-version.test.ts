import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Catalog } from "../../../daemon/catalog/catalog.ts";
import { loadCatalog } from "../../../daemon/catalog/catalog.ts";
import { MemoryGrantStore } from "../../support/memory-grant-store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { catalogFolder, endpoint, manifest } from "../catalog-folder.ts";

const pathsOf = (catalog: Catalog) => catalog.entriesOf("shop").map(({ path }) => path);
const messagesOf = (catalog: Catalog) => catalog.problems().map(({ message }) => message);

describe("a reload", () => {
  test("keeps what a category file last said while it is wrong, and tells so", async () => {
    using folder = catalogFolder();
    folder.write("categories", {
      mkt: 1,
      tops: [{ id: "trade", displayName: "Trade", children: ["goods"] }],
      leaves: [{ id: "goods", displayName: "Goods" }],
    });
    folder.write("shop", manifest({ categories: ["trade/goods"] }));
    const catalog = await folder.load({ trusted: true });
    const categoriesOf = () => catalog.entriesOf("shop").map(({ categories }) => categories);
    expect(categoriesOf()).toEqual([["trade/goods"]]);

    folder.write("categories.json", '{"mkt": 1, "tops": [');
    await catalog.reload();

    expect(categoriesOf()).toEqual([["trade/goods"]]);
    expect(messagesOf(catalog)).toEqual([expect.stringContaining("the last good version is used")]);
    folder.write("categories", { mkt: 1 });
    await catalog.reload();
    expect(categoriesOf()).toEqual([[]]);
  });

  test("keeps everything of a folder that cannot be read just now", async () => {
    using parent = tempDir();
    using elsewhere = catalogFolder();
    elsewhere.write("shop", manifest());
    const dir = join(parent.path, "catalog");
    renameSync(elsewhere.path, dir);
    const catalog = await loadCatalog({
      folders: [{ dir, trusted: true }],
      grants: new MemoryGrantStore(),
      environment: {},
    });
    expect(pathsOf(catalog)).toEqual(["/items/{id}"]);

    renameSync(dir, elsewhere.path);
    writeFileSync(dir, "no folder");
    await catalog.reload();

    expect(pathsOf(catalog)).toEqual(["/items/{id}"]);
    expect(messagesOf(catalog).join("\n")).toContain("cannot be read");
    rmSync(dir);
    renameSync(elsewhere.path, dir);
    await catalog.reload();
    expect(catalog.problems()).toEqual([]);
    renameSync(dir, elsewhere.path);
    await catalog.reload();
    expect(pathsOf(catalog)).toEqual([]);
  });

  test("takes an endpoint out although another, whose path begins alike, has a mistake", async () => {
    using folder = catalogFolder();
    folder.write("shop", manifest({ endpoints: { "/pet": endpoint(), "/other": endpoint() } }));
    const catalog = await folder.load({ trusted: true });
    const input = { queryParams: { properties: { city: { type: "string", pattern: "(?=x)y" } } } };

    folder.write(
      "shop",
      manifest({ endpoints: { "/pets": endpoint({ request: { method: "GET" }, input }), "/other": endpoint() } }),
    );
    await catalog.reload();

    expect(catalog.problems()).toMatchObject([{ takesDown: "endpoint" }]);
    expect(pathsOf(catalog)).toEqual(["/other"]);
  });

  test("of many edits in quick succession ends with the last, whatever was read between", async () => {
    using folder = catalogFolder();
    folder.write("shop", manifest());
    const catalog = await folder.load({ trusted: true });

    const reloads: Promise<boolean>[] = [];
    for (let edit = 0; edit < 50; edit += 1) {
      if (edit % 3 === 0) folder.write("shop.json", "{");
      else folder.write("shop", manifest({ endpoints: { [`/v${edit}`]: endpoint() } }));
      reloads.push(catalog.reload());
      if (edit % 7 === 0) await Promise.all(reloads);
    }
    folder.write("shop", manifest({ endpoints: { "/last": endpoint() } }));
    reloads.push(catalog.reload());
    await Promise.all(reloads);

    expect(pathsOf(catalog)).toEqual(["/last"]);
    expect(catalog.problems()).toEqual([]);
  });
});
