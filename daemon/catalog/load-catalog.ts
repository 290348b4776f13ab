import { readdir } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { buildEntries } from "./build-entries.ts";
import type { CatalogEntry, CatalogProvider, CatalogResource } from "./catalog-entry.ts";
import { type CatalogProblem, ProblemList } from "./catalog-problem.ts";
import { loadCategoryFiles } from "./categories-file.ts";
import { CategoryTree } from "./categories.ts";
import { checkManifest } from "./check-manifest.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { readManifestFile } from "./read-manifest-file.ts";
import { schemaCompiler } from "./schema-compiler.ts";

export interface CatalogFolder {
  readonly dir: string;
  /** Its files carry their grants. Manifest rule 15. */
  readonly trusted?: boolean;
  /** Came with the program: may name `builtin:` origins; trusted. */
  readonly bundled?: boolean;
  /** Need not exist. */
  readonly optional?: boolean;
  /** Names of the providers' files to read; absent: all. */
  readonly only?: readonly string[];
}

export interface LoadedProvider {
  readonly provider: CatalogProvider;
  /** Disabled ones too. */
  readonly entries: readonly CatalogEntry[];
  readonly resources: readonly CatalogResource[];
}

export interface LoadedFolders {
  readonly providers: readonly LoadedProvider[];
  readonly tree: CategoryTree;
  readonly problems: readonly CatalogProblem[];
}

/** Further questions to one checked file, for `mkt catalog check`. */
export type Inspection = (loaded: LoadedProvider, problems: ProblemList) => void;

interface FolderFiles {
  readonly folder: CatalogFolder;
  readonly manifests: readonly string[];
  readonly categories: readonly string[];
}

const ENDINGS: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"]);

/**
 * Reads the catalog folders in the order given. A file that is wrong becomes problems and takes nothing else down; of two
 * files for one provider the first is kept.
 */
export async function loadFolders(folders: readonly CatalogFolder[], inspect?: Inspection): Promise<LoadedFolders> {
  const problems: CatalogProblem[] = [];
  const found: FolderFiles[] = [];
  for (const folder of withoutRepeats(folders)) found.push(await listFiles(folder, problems));
  const categories = await loadCategoryFiles(found.flatMap((files) => files.categories));
  problems.push(...categories.problems);

  const loader = new FileLoader(new CategoryTree(categories.data), inspect);
  for (const { folder, manifests } of found) {
    for (const file of manifests) problems.push(...(await loader.load(file, folder)));
  }
  return { providers: loader.providers, tree: loader.tree, problems };
}

class FileLoader {
  readonly providers: LoadedProvider[] = [];
  readonly tree: CategoryTree;
  readonly #inspect: Inspection | undefined;

  constructor(tree: CategoryTree, inspect: Inspection | undefined) {
    this.tree = tree;
    this.#inspect = inspect;
  }

  async load(file: string, folder: CatalogFolder): Promise<readonly CatalogProblem[]> {
    const read = await readManifestFile(file);
    if ("problems" in read) return read.problems;
    const { source } = read;
    const bundled = folder.bundled === true;
    const { problems, checked } = checkManifest(source, { compiler: schemaCompiler(), bundled });
    if (checked === undefined) return problems.list();

    this.#checkName(problems, checked.manifest, file);
    if (problems.fatal) return problems.list();
    const trusted = bundled || folder.trusted === true;
    const built = buildEntries(checked, { source, trusted });
    const entries = built.entries.map((entry) => this.#categorise(problems, checked.manifest, entry));
    const loaded = { provider: built.provider, entries, resources: built.resources };
    this.#inspect?.(loaded, problems);
    this.providers.push(loaded);
    return problems.list();
  }

  #checkName(problems: ProblemList, manifest: Manifest, file: string): void {
    const twin = this.providers.find(({ provider }) => provider.provider === manifest.provider);
    if (twin !== undefined) {
      const message = `there are two files for "${manifest.provider}": ${twin.provider.file} is used, ${file} is not; rename or remove one`;
      problems.report(["provider"], "duplicate", message);
    }
    if (this.tree.has(manifest.provider)) {
      const message = `"${manifest.provider}" is the id of a category; a provider needs a slug of its own`;
      problems.report(["provider"], "category", message);
    }
  }

  #categorise(problems: ProblemList, manifest: Manifest, entry: CatalogEntry): CatalogEntry {
    const isOwn = manifest.endpoints[entry.path]?.categories !== undefined;
    const known = entry.categories.filter((path, index) => {
      const complaint = this.tree.explainUnknown(path);
      if (complaint === undefined) return true;
      const place = isOwn ? ["endpoints", entry.path, "categories", index] : ["categories", index];
      problems.report(place, "category", complaint, "nothing");
      return false;
    });
    const placed = this.tree.placementPaths(entry.provider.provider);
    return { ...entry, categories: [...new Set([...known, ...placed])] };
  }
}

function withoutRepeats(folders: readonly CatalogFolder[]): CatalogFolder[] {
  const byDir = new Map<string, CatalogFolder>();
  for (const folder of folders) {
    const dir = resolve(folder.dir);
    const before = byDir.get(dir);
    byDir.set(dir, {
      dir,
      trusted: folder.trusted === true || before?.trusted === true,
      bundled: folder.bundled === true || before?.bundled === true,
      optional: folder.optional === true && before?.optional !== false,
      ...mergeOnly(folder, before),
    });
  }
  return [...byDir.values()];
}

function mergeOnly(folder: CatalogFolder, before: CatalogFolder | undefined): { only?: readonly string[] } {
  if (folder.only === undefined || (before !== undefined && before.only === undefined)) return {};
  return { only: [...(before?.only ?? []), ...folder.only] };
}

function isCategories(name: string): boolean {
  return /^categories\.(?:ya?ml|json)$/i.test(name);
}

async function listFiles(folder: CatalogFolder, problems: CatalogProblem[]): Promise<FolderFiles> {
  let names: string[] = [];
  try {
    names = await readdir(folder.dir);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (!(code === "ENOENT" && folder.optional === true)) {
      const list = new ProblemList(folder.dir, () => undefined);
      const reason = code === "ENOENT" ? "does not exist" : `cannot be read (${String(code)})`;
      list.report([], "folder", `The catalog folder ${reason}; create it, or leave it out of --catalog.`);
      problems.push(...list.list());
    }
  }
  const files = names.filter((name) => !name.startsWith(".") && ENDINGS.has(extname(name).toLowerCase())).sort();
  const toPath = (name: string) => join(folder.dir, name);
  return {
    folder,
    manifests: files.filter((name) => !isCategories(name) && folder.only?.includes(name) !== false).map(toPath),
    categories: files.filter(isCategories).map(toPath),
  };
}
