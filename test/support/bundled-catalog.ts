import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

/** The folder of the catalog that comes with the program. */
export const bundledCatalogDir = fileURLToPath(new URL("../../catalog", import.meta.url));

/**
 * A folder with the provider that needs no network, and the category tree: what most tests need of the catalog. As JSON,
 * like the catalog of the build: to read the YAML would be a third of what a daemon needs to start.
 */
export function atlasCatalogDir(): string {
  return folderOfJson("atlas", ["atlas.yaml", "categories.yaml"]);
}

/** The whole catalog as JSON, like that of the build: to read the YAML takes twice as long. */
export function starterCatalogDir(): string {
  return folderOfJson("starter", readdirSync(bundledCatalogDir));
}

const made = new Map<string, string>();

/** Made once for all workers of a run; the run's temporary folder goes with the run. */
function folderOfJson(name: string, files: readonly string[]): string {
  const known = made.get(name);
  if (known !== undefined) return known;
  const dir = join(tmpdir(), `mkt-${name}-catalog`);
  if (!existsSync(dir)) writeFolder(dir, files);
  made.set(name, dir);
  return dir;
}

function writeFolder(dir: string, files: readonly string[]): void {
  const unfinished = mkdtempSync(`${dir}-`);
  for (const file of files) {
    const value: unknown = parse(readFileSync(join(bundledCatalogDir, file), "utf8"));
    writeFileSync(join(unfinished, file.replace(/\.yaml$/, ".json")), JSON.stringify(value, null, 2));
  }
  try {
    renameSync(unfinished, dir);
  } catch (error) {
    // Another worker was first.
    if (!existsSync(dir)) throw error;
    rmSync(unfinished, { recursive: true });
  }
}
