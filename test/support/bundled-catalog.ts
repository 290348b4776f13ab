import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the catalog that comes with the program. */
export const bundledCatalogDir = fileURLToPath(new URL("../../catalog", import.meta.url));

let atlasOnly: string | undefined;

/** A folder with the provider that needs no network, and the category tree: what most tests need of the catalog. */
export function atlasCatalogDir(): string {
  if (atlasOnly !== undefined) return atlasOnly;
  const dir = mkdtempSync(join(tmpdir(), "mkt-atlas-"));
  for (const name of ["atlas.yaml", "categories.yaml"]) copyFileSync(join(bundledCatalogDir, name), join(dir, name));
  process.once("exit", () => rmSync(dir, { recursive: true, force: true }));
  atlasOnly = dir;
  return dir;
}
