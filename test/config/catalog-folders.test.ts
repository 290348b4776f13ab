import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogFolders } from "../../daemon/config/catalog-folders.ts";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { tempDir } from "../support/temp-dir.ts";

test("loads a folder once though it is named twice, and trusts it if it is named so anywhere", async () => {
  using folder = tempDir();
  const environment = { MKT_DATA_DIR: folder.path, MKT_CONFIG_DIR: folder.path };
  const flags = { catalog: [folder.path, folder.path], trustedCatalog: [folder.path], bundledCatalog: false };

  const config = parseDaemonConfig(flags, { environment, bundledCatalogDir: "/none", version: "0.1.0" });

  expect(await catalogFolders(config)).toEqual([
    { dir: join(folder.path, "catalog"), trusted: false, bundled: false, optional: true, replacesBundled: true },
    { dir: folder.path, trusted: true, bundled: false, optional: false, replacesBundled: true },
  ]);
});
