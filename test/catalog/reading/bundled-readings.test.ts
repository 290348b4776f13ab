import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type BundledReadings,
  bundledReadingsFile,
  bundledReadingsText,
  loadBundledReadings,
  readBundledFolder,
} from "../../../daemon/catalog/reading/bundled-readings.ts";
import { CatalogLoader, type LoadedFolders } from "../../../daemon/catalog/reading/catalog-loader.ts";
import { tempDir } from "../../support/temp-dir.ts";

const builtCatalog = join(import.meta.dirname, "../../../dist/catalog");

/** A bundled folder of three providers with what a build made of it, in the form that is written. */
async function builtFolder(home: string): Promise<{ dir: string; readings: BundledReadings }> {
  const dir = join(home, "catalog");
  for (const name of ["atlas", "frankfurter", "categories"]) {
    cpSync(join(builtCatalog, `${name}.json`), join(dir, `${name}.json`));
  }
  writeFileSync(bundledReadingsFile(dir), bundledReadingsText(await readBundledFolder(dir)));
  const readings = loadBundledReadings(dir);
  if (readings === undefined) throw new Error("the readings could not be loaded");
  return { dir, readings };
}

async function load(dir: string, bundled?: BundledReadings): Promise<LoadedFolders> {
  return await new CatalogLoader([{ dir, bundled: true, trusted: true }], { bundled }).load();
}

const namesIn = ({ providers }: LoadedFolders) => providers.map(({ provider }) => provider.displayName);
const fileOf = (loaded: LoadedFolders, slug: string) =>
  loaded.providers.find(({ provider }) => provider.provider === slug)?.provider.file;

test("what the build read of the whole bundled catalog is what a start would read", async () => {
  const readings = loadBundledReadings(builtCatalog);

  expect(Object.keys(readings?.files ?? {}).length).toBeGreaterThan(100);
  expect(await load(builtCatalog, readings)).toEqual(await load(builtCatalog));
});

test("what the build read does not tell where it was read: equal catalogs make equal packages", async () => {
  using here = tempDir();
  using there = tempDir();

  const { readings } = await builtFolder(here.path);

  expect(readings).toEqual((await builtFolder(there.path)).readings);
  expect(JSON.stringify(readings)).not.toContain(here.path);
});

test("a bundled file that was changed after the build is read again", async () => {
  using home = tempDir();
  const { dir, readings } = await builtFolder(home.path);
  const file = join(dir, "frankfurter.json");
  const text = readFileSync(file, "utf8");
  const { displayName } = JSON.parse(text) as { displayName: string };
  writeFileSync(file, text.replaceAll(JSON.stringify(displayName), JSON.stringify("Exchange rates of mine")));

  const loaded = await load(dir, readings);

  expect(namesIn(loaded)).toEqual(["Atlas", "Exchange rates of mine"]);
});

test("a bundled file that was removed after the build is not served", async () => {
  using home = tempDir();
  const { readings } = await builtFolder(home.path);
  const other = join(home.path, "other");
  cpSync(join(builtCatalog, "atlas.json"), join(other, "atlas.json"));

  const loaded = await load(other, readings);

  expect(namesIn(loaded)).toEqual(["Atlas"]);
  expect(fileOf(loaded, "atlas")).toBe(join(other, "atlas.json"));
});

test("with other categories than the build's, the files are read again and placed by them", async () => {
  using home = tempDir();
  const { dir, readings } = await builtFolder(home.path);
  const own = join(home.path, "own");
  const categories = {
    mkt: 1,
    tops: [{ id: "mine", displayName: "Mine" }],
    providers: { frankfurter: ["mine"] },
  };
  mkdirSync(own);
  writeFileSync(join(own, "categories.json"), JSON.stringify(categories));
  const folders = [
    { dir, bundled: true, trusted: true },
    { dir: own, replacesBundled: true },
  ];

  const loaded = await new CatalogLoader(folders, { bundled: readings }).load();

  expect(loaded).toEqual(await new CatalogLoader(folders).load());
  expect(loaded.providers).not.toEqual((await load(dir)).providers);
});

test("what the build read is written in ASCII, and read as it was", async () => {
  const readings = await readBundledFolder(builtCatalog);

  const text = bundledReadingsText(readings);

  expect(text).toMatch(/^[\0-\x7f]+$/);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(readings)));
});

test("a bundled category file that was changed after the build is read again", async () => {
  using home = tempDir();
  const { dir, readings } = await builtFolder(home.path);
  const file = join(dir, "categories.json");
  const categories = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...categories, tops: "none" }));

  const loaded = await load(dir, readings);

  expect(loaded.problems.map((problem) => problem.path)).toContain("tops");
  expect(loaded).toEqual(await load(dir));
});

test("a problem of the bundled categories beside those of an owner is told with its line, as without the build", async () => {
  using home = tempDir();
  const { dir, readings } = await builtFolder(home.path);
  const own = join(home.path, "own");
  const { providers } = JSON.parse(readFileSync(join(dir, "categories.json"), "utf8")) as { providers: object };
  const [placed = ""] = Object.keys(providers);
  mkdirSync(own);
  writeFileSync(
    join(own, "categories.json"),
    JSON.stringify({ mkt: 1, tops: [{ id: placed, displayName: "As a category" }] }),
  );
  const folders = [
    { dir, bundled: true, trusted: true },
    { dir: own, replacesBundled: true },
  ];

  const loaded = await new CatalogLoader(folders, { bundled: readings }).load();

  expect(loaded.problems).toContainEqual(
    expect.objectContaining({ file: join(dir, "categories.json"), line: expect.any(Number) as number }),
  );
  expect(loaded).toEqual(await new CatalogLoader(folders).load());
});

test.each([
  ["not there", undefined],
  ["cut off", '{"categories":"'],
  ["of another form", "[]"],
  ["nothing", "null"],
])("where the readings are %s, the folder is read", async (_, text) => {
  using home = tempDir();
  const { dir } = await builtFolder(home.path);
  writeFileSync(bundledReadingsFile(dir), text ?? "");

  expect(namesIn(await load(dir, loadBundledReadings(dir)))).toEqual(["Atlas", "Frankfurter"]);
});
