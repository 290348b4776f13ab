import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Catalog, loadCatalog } from "../../../daemon/catalog/catalog.ts";
import type { CatalogFolder } from "../../../daemon/catalog/reading/catalog-folder.ts";
import { checkCatalog } from "../../../daemon/catalog-review/catalog-check.ts";
import { renderCatalogCheck } from "../../../daemon/catalog-review/render-catalog-check.ts";
import { MemoryGrantStore } from "../../support/memory-grant-store.ts";
import { mktHome } from "../../support/mkt-home.ts";
import { startTestDaemon } from "../../support/start-daemon.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { catalogFolder, manifest } from "../catalog-folder.ts";

const loadAll = (...folders: CatalogFolder[]) =>
  loadCatalog({ folders, grants: new MemoryGrantStore(), environment: {} });
const thesaurus = (...relations: object[]) => ({ mkt: 1, domains: [{ id: "weather", relations }] });
const rain = { asked: ["rain"], called: ["precipitation"] };
const problemsOf = (catalog: Catalog) => catalog.problems().map(({ path, message }) => `${path}: ${message}`);

test("a thesaurus is no provider, and says what leads to what", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest());
  folder.write("thesaurus", thesaurus(rain, { same: ["zip", "postcode"] }, { ...rain, weight: 0.9 }));

  const catalog = await folder.load({ trusted: true });

  expect(catalog.problems()).toEqual([]);
  expect(catalog.providers()).toHaveLength(1);
  expect(catalog.thesaurus).toEqual([
    { domain: "weather", asked: ["rain"], called: ["precipitation"], weight: 0.5 },
    { domain: "weather", asked: ["zip", "postcode"], called: ["zip", "postcode"], weight: 0.8 },
    { domain: "weather", asked: ["rain"], called: ["precipitation"], weight: 0.9 },
  ]);
});

test("that of the operator's own folder comes after the bundled one", async () => {
  using bundled = catalogFolder();
  using own = catalogFolder();
  bundled.write("thesaurus", thesaurus(rain));
  own.write(
    "thesaurus.yaml",
    "mkt: 1\ndomains: [{id: weather, relations: [{asked: [rain], called: [precipitation], weight: 0}]}]\n",
  );

  const catalog = await loadAll({ dir: bundled.path, bundled: true }, { dir: own.path, replacesBundled: true });

  expect(catalog.thesaurus.map(({ weight }) => weight)).toEqual([0.5, 0]);
  expect(catalog.problems()).toEqual([]);
});

test("the bundled one is read as it was built, and one that is torn takes nothing else down", async () => {
  using bundled = catalogFolder();
  bundled.write("shop", manifest());
  bundled.write("thesaurus", thesaurus(rain));
  const whole = await loadAll({ dir: bundled.path, bundled: true });
  bundled.write("thesaurus.json", '{"mkt": 1, "domains": [');

  const torn = await loadAll({ dir: bundled.path, bundled: true });

  expect(whole.thesaurus).toEqual([{ domain: "weather", asked: ["rain"], called: ["precipitation"], weight: 0.5 }]);
  expect(torn.thesaurus).toEqual([]);
  expect(torn.problems()).toMatchObject([{ file: join(bundled.path, "thesaurus.json") }]);
  expect(torn.providers()).toHaveLength(1);
});

test("that of a folder that nobody trusts is not used, and told", async () => {
  using stranger = catalogFolder();
  stranger.write("thesaurus", thesaurus({ asked: ["weather"], called: ["my shop"], weight: 1 }));

  const catalog = await loadAll({ dir: stranger.path });

  expect(catalog.thesaurus).toEqual([]);
  expect(catalog.problems()).toMatchObject([
    { file: join(stranger.path, "thesaurus.json"), rule: "thesaurus", takesDown: "nothing" },
  ]);
  expect(problemsOf(catalog)[0]).toContain("--trusted-catalog");
});

describe("a reload", () => {
  test("takes what changed, and goes on with what a file last said while it is wrong", async () => {
    using folder = catalogFolder();
    const asked = (catalog: Catalog) => catalog.thesaurus.map((relation) => relation.asked[0]);
    folder.write("thesaurus", thesaurus(rain));
    const catalog = await folder.load({ trusted: true });
    const first = catalog.thesaurus;

    expect(await catalog.reload()).toBe(false);
    folder.write("shop", manifest());
    await catalog.reload();
    expect(catalog.thesaurus).toBe(first);

    folder.write("thesaurus.json", '{"mkt": 1, "domains": [');
    await catalog.reload();
    expect(asked(catalog)).toEqual(["rain"]);
    expect(problemsOf(catalog)).toEqual([expect.stringContaining("the last good version is used")]);

    folder.write("thesaurus", thesaurus({ ...rain, asked: ["snow"] }));
    await catalog.reload();
    expect(asked(catalog)).toEqual(["snow"]);
    expect(catalog.problems()).toEqual([]);
  });

  test("of a running daemon sees it in the catalog folder of the configuration", async () => {
    using home = mktHome();
    const warnings: string[] = [];
    const onLog = (line: Record<string, unknown>) => {
      if (line["problem"] !== undefined) warnings.push(JSON.stringify(line["problem"]));
    };
    await using daemon = await startTestDaemon({ home, onLog });

    const dir = join(home.configDir, "catalog");
    mkdirSync(dir);
    writeFileSync(join(dir, "thesaurus.yaml"), "mkt: 1\ndomains: [{id: weather, relations: [{asked: [rain]}]}]\n");

    await expect.poll(() => warnings, { interval: 20 }).toHaveLength(1);
    expect(warnings[0]).toContain("domains[0].relations[0]");
    expect((await daemon.request("GET", "/v1/endpoints")).status).toBe(200);
  });
});

describe("`mkt catalog check`", () => {
  test.each([
    ["an unknown key", "{ask: [rain], called: [weather]}", ".ask", 'did you mean "asked"'],
    ["one side alone", "{asked: [rain]}", "", "either asked and called, or same"],
    ["both ways", "{asked: [rain], called: [weather], same: [a, b]}", "", "either asked and called, or same"],
    ["nothing to be the same as", "{same: [rain]}", ".same", "must be at least 2 items long"],
    ["a weight beyond 1", "{asked: [rain], called: [weather], weight: 3}", ".weight", "must be at most 1"],
    ["a stop word alone", "{asked: [where], called: [location]}", ".asked[0]", "consists of stop words"],
    ["a stop word and an article", "{asked: [is the], called: [location]}", ".asked[0]", "consists of stop words"],
    [
      "stop words as what is looked for",
      "{asked: [locate], called: [where is]}",
      ".called[0]",
      "consists of stop words",
    ],
    ["a word of every request", "{asked: [data], called: [location]}", ".asked[0]", "nearly every request"],
    [
      "a word of every endpoint",
      "{asked: [place], called: [location, api data]}",
      ".called[1]",
      "nearly every request",
    ],
    ["a phrase that is one word", "{asked: [in stock], called: [inventory]}", ".asked[0]", 'write "stock"'],
  ])("tells %s, with its place and how to mend it", async (_, relation, place, mending) => {
    using folder = catalogFolder();
    const file = folder.write(
      "thesaurus.yaml",
      `mkt: 1\ndomains:\n  - id: places\n    relations:\n      - ${relation}\n`,
    );

    const report = await checkCatalog({ paths: [file], defaults: [] });

    expect(report.exitCode).toBe(1);
    expect(report.problems[0]).toMatchObject({ file, line: 5, path: `domains[0].relations[0]${place}` });
    expect(report.problems[0]?.message).toContain(mending);
    expect(renderCatalogCheck(report)).toContain(`${file}\n  line 5: domains[0].relations[0]${place}`);
  });

  test("tells a domain that is there twice", async () => {
    using folder = catalogFolder();
    folder.write("thesaurus", {
      mkt: 1,
      domains: [
        { id: "a", relations: [] },
        { id: "a", relations: [] },
      ],
    });

    const { problems } = await checkCatalog({ paths: [folder.path], defaults: [] });

    expect(problems).toMatchObject([{ path: "domains[1].id", rule: "thesaurus" }]);
  });

  test("of a provider's file alone says nothing of the thesaurus beside it", async () => {
    using folder = catalogFolder();
    folder.write("thesaurus.yaml", "mkt: 1\ndomains: 5\n");
    const file = folder.write("shop", manifest());

    await expect(checkCatalog({ paths: [file], defaults: [] })).resolves.toMatchObject({ problems: [], exitCode: 0 });
  });

  test("passes a good one", async () => {
    using folder = tempDir();
    const file = join(folder.path, "thesaurus.yaml");
    writeFileSync(file, "mkt: 1\ndomains:\n  - id: places\n    relations:\n      - same: [zip code, postcode]\n");

    await expect(checkCatalog({ paths: [file], defaults: [] })).resolves.toMatchObject({ problems: [], exitCode: 0 });
  });
});
