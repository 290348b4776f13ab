import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogFolders } from "../../daemon/config/catalog-folders.ts";
import { loadFolders } from "../../daemon/catalog/reading/catalog-loader.ts";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { bundledCatalogDir, starterCatalogDir } from "../support/bundled-catalog.ts";
import { tempDir } from "../support/temp-dir.ts";

test("loads a folder once though it is named twice, and trusts it if it is named so anywhere", async () => {
  using folder = tempDir();
  const environment = { MKT_DATA_DIR: folder.path, MKT_CONFIG_DIR: folder.path };
  const flags = { catalog: [folder.path, folder.path], trustedCatalog: [folder.path], bundledCatalog: false };

  const config = parseDaemonConfig(flags, { environment, bundledCatalogDir: "/none", version: "0.1.0" });

  expect(await catalogFolders(config)).toEqual([
    { dir: "/none", trusted: true, bundled: true, thesaurusOnly: true, optional: true },
    { dir: join(folder.path, "catalog"), trusted: false, bundled: false, optional: true, replacesBundled: true },
    { dir: folder.path, trusted: true, bundled: false, optional: false, replacesBundled: true },
  ]);
});

test("without the bundled catalog its thesaurus is used, and nothing else of it", async () => {
  using folder = tempDir();
  const environment = { MKT_DATA_DIR: folder.path, MKT_CONFIG_DIR: folder.path };
  const surroundings = { environment, bundledCatalogDir: starterCatalogDir(), version: "0.1.0" };

  const loaded = await loadFolders(await catalogFolders(parseDaemonConfig({ bundledCatalog: false }, surroundings)));
  const whole = await loadFolders(await catalogFolders(parseDaemonConfig({}, surroundings)));

  expect(loaded.providers).toEqual([]);
  expect(loaded.problems).toEqual([]);
  expect(loaded.tree.list([]).items).toEqual([]);
  expect(loaded.tree.explainUnknown("weather/forecast")).toBeDefined();
  expect(loaded.thesaurus.length).toBeGreaterThan(100);
  expect(loaded.thesaurus).toEqual(whole.thesaurus);
});

test("naming the bundled folder as a catalog does not make it trusted", async () => {
  using folder = tempDir();
  const environment = { MKT_DATA_DIR: folder.path, MKT_CONFIG_DIR: folder.path };
  const flags = { catalog: [bundledCatalogDir], bundledCatalog: false };

  const folders = await catalogFolders(parseDaemonConfig(flags, { environment, bundledCatalogDir, version: "0.1.0" }));

  expect(folders.filter(({ dir }) => dir === bundledCatalogDir)).toEqual([
    { dir: bundledCatalogDir, trusted: false, bundled: false, optional: false, replacesBundled: false },
  ]);
});
