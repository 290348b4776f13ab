import { readdir, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";

/** Something to import. */
export type ImportSource =
  | { readonly kind: "address"; readonly address: string }
  /** `found`: in a named folder; then it need not be a description. */
  | { readonly kind: "file"; readonly path: string; readonly found: boolean };

const ENDINGS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);
/** Includes unsupported schemes, so that they are reported as an address and not as a missing file. */
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules", ".imported"]);

/** Named files, addresses and folders → what to import, sorted by name. */
export async function listSources(named: readonly string[]): Promise<ImportSource[]> {
  const sources: ImportSource[] = [];
  for (const name of named) {
    if (isAddress(name) || HAS_SCHEME.test(name)) {
      sources.push({ kind: "address", address: name });
      continue;
    }
    const path = resolve(name);
    const isFolder = await stat(path).then(
      (facts) => facts.isDirectory(),
      () => false,
    );
    if (isFolder) for (const file of await listFiles(path)) sources.push({ kind: "file", path: file, found: true });
    else sources.push({ kind: "file", path, found: false });
  }
  return sources;
}

export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name) && URL.canParse(name);
}

/** Every JSON and YAML file below a folder. Links are not followed: they may form a cycle, or lead out. */
async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  const open = [folder];
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(dir, entry.name);
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) open.push(path);
      else if (entry.isFile() && ENDINGS.has(extname(entry.name).toLowerCase())) files.push(path);
    }
  }
  return files.sort();
}
