import { join } from "node:path";
import { expect, test } from "vitest";
import { checkCatalog, renderCatalogCheck } from "../../daemon/operator/catalog-check.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { catalogFolder, endpoint, manifest } from "./catalog-folder.ts";

test("a good folder is told to be good, exit code 0", async () => {
  using folder = catalogFolder({ examples: true });

  const report = await checkCatalog({ paths: [folder.path], defaults: [], bundledDir: bundledCatalogDir });

  expect(report.problems).toEqual([]);
  expect(report.exitCode).toBe(0);
  expect(renderCatalogCheck(report)).toBe("4 providers with 5 endpoints can be served; no problems.\n");
});

test("the bundled catalog passes, its examples and all", async () => {
  const report = await checkCatalog({
    paths: [],
    defaults: [{ dir: bundledCatalogDir, bundled: true }],
    bundledDir: bundledCatalogDir,
  });

  expect(renderCatalogCheck(report)).toMatch(/^1 provider with \d+ endpoints can be served; no problems\.\n$/);
});

test("one file is checked alone, and may use the bundled categories", async () => {
  using folder = catalogFolder();
  folder.write("broken.yaml", "mkt: [\n");
  const file = folder.write("shop", manifest({ categories: ["places/countries"] }));

  const report = await checkCatalog({ paths: [file], defaults: [], bundledDir: bundledCatalogDir });

  expect(report).toMatchObject({ files: [file], endpoints: 1, problems: [], exitCode: 0 });
});

test("a problem is shown with file, line, place, rule, mending and what it takes down; exit code 1", async () => {
  using folder = catalogFolder();
  const file = folder.write(
    "shop.yaml",
    "mkt: 1\nprovider: shop\nhttp:\n  baseurl: https://x.example\nendpoints: {}\n",
  );

  const report = await checkCatalog({ paths: [folder.path], defaults: [], bundledDir: bundledCatalogDir });

  expect(report.exitCode).toBe(1);
  expect(renderCatalogCheck(report)).toBe(
    [
      `${file}:4  http.baseurl  [unknown-key]`,
      '    "baseurl" is not a key here; did you mean "baseUrl"?',
      "    The file is not used until this is mended.",
      "0 providers with 0 endpoints can be served; 1 problem.",
      "",
    ].join("\n"),
  );
});

test("an example whose input breaks the endpoint's own schema is found", async () => {
  using folder = catalogFolder();
  const examples = [{ name: "too many", input: { id: "a", limit: 99 } }];
  const file = folder.write("shop", manifest({ endpoints: { "/items/{id}": endpoint({ examples }) } }));

  const report = await checkCatalog({ paths: [file], defaults: [], bundledDir: bundledCatalogDir });

  expect(report.problems).toMatchObject([
    {
      file,
      path: "endpoints./items/{id}.examples[0].input",
      rule: "example",
      message: "body.limit must be at most 50 (got 99)",
      takesDown: "nothing",
    },
  ]);
});

test("a path that is not there is told", async () => {
  const missing = join(bundledCatalogDir, "nowhere.yaml");

  await expect(checkCatalog({ paths: [missing], defaults: [], bundledDir: bundledCatalogDir })).rejects.toThrow(
    "does not exist",
  );
});
