import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { CatalogFolder } from "../catalog/reading/catalog-folder.ts";
import { ConfigRefused } from "./config-refused.ts";
import type { DaemonConfig } from "./daemon-config.ts";

/**
 * The bundled folder, `<config>/catalog` as soon as it is there, then the folders that were named; each once, and trusted if it
 * was named so anywhere. Throws `ConfigRefused`.
 */
export async function catalogFolders(config: DaemonConfig): Promise<CatalogFolder[]> {
  await checkFolders(config.catalogDirs, "--catalog (MKT_CATALOGS)");
  await checkFolders(config.trustedCatalogDirs, "--trusted-catalog (MKT_TRUSTED_CATALOGS)");
  const own = join(config.configDir, "catalog");
  const named = [own, ...config.catalogDirs, ...config.trustedCatalogDirs];
  return [
    ...bundledFolders(config, named),
    ...[...new Set(named)].map((dir) => ({
      dir,
      trusted: config.trustedCatalogDirs.includes(dir),
      bundled: false,
      optional: dir === own,
      replacesBundled: dir === own || config.trustedCatalogDirs.includes(dir),
    })),
  ];
}

/**
 * People's words do not depend on whose providers are served, so the thesaurus stays without the bundled catalog. Not of a
 * folder that is named as well: that one is trusted as far as it was named so, and no further.
 */
function bundledFolders(
  { bundledCatalogDir, bundledThesaurusDir }: DaemonConfig,
  named: readonly string[],
): CatalogFolder[] {
  if (bundledCatalogDir !== undefined) return [{ dir: bundledCatalogDir, trusted: true, bundled: true }];
  if (bundledThesaurusDir === undefined || named.includes(bundledThesaurusDir)) return [];
  return [{ dir: bundledThesaurusDir, trusted: true, bundled: true, thesaurusOnly: true, optional: true }];
}

async function checkFolders(dirs: readonly string[], setting: string): Promise<void> {
  for (const dir of dirs) {
    if (await isFolder(dir)) continue;
    throw new ConfigRefused(
      `The catalog folder ${dir} does not exist or is not a folder. Create it, or correct ${setting}`,
    );
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
