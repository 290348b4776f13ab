import { readdir } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { type CatalogProblem, ProblemList } from "../problems/catalog-problem.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";

export interface CatalogFolder {
  readonly dir: string;
  /** Its files carry their grants. docs/manifest.md, "Grants". */
  readonly trusted?: boolean;
  /** Came with the program: may use `builtin:` origins, and is trusted. */
  readonly bundled?: boolean;
  /** The owner's own folder: its file for a provider replaces the bundled one, and its thesaurus is used. */
  readonly replacesBundled?: boolean;
  /** Need not exist. */
  readonly optional?: boolean;
  /** Names of the providers' files to read; absent: all. */
  readonly only?: readonly string[];
  /** Nothing of it but its thesaurus is read. */
  readonly thesaurusOnly?: boolean;
}

/** The files of one folder, by name. */
export interface FolderFiles {
  readonly folder: CatalogFolder;
  readonly manifests: readonly string[];
  readonly categories: readonly string[];
  readonly thesauri: readonly string[];
  /** Files of its folder `routes`; absent when that could not be read just now. */
  readonly routes?: readonly string[];
  /** The folder exists but could not be read just now, so its content is unknown. */
  readonly isUnread: boolean;
}

/** The folder of route files, in a catalog folder. */
export const ROUTES_FOLDER = "routes";

const ENDINGS: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"]);

/** The files of all folders, each folder once, in the order given. Folders that cannot be read become problems. */
export async function listFolders(
  folders: readonly CatalogFolder[],
): Promise<{ readonly found: readonly FolderFiles[]; readonly problems: readonly CatalogProblem[] }> {
  const problems: CatalogProblem[] = [];
  const found: FolderFiles[] = [];
  for (const folder of withoutRepeats(folders)) found.push(await listFiles(folder, problems));
  return { found, problems };
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
      replacesBundled: folder.replacesBundled === true || before?.replacesBundled === true,
      optional: folder.optional === true && before?.optional !== false,
      ...mergeOnly(folder, before),
      ...(folder.thesaurusOnly === true && (before === undefined || before.thesaurusOnly) && { thesaurusOnly: true }),
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

function isThesaurus(name: string): boolean {
  return /^thesaurus\.(?:ya?ml|json)$/i.test(name);
}

function isManifest(name: string): boolean {
  return !isCategories(name) && !isThesaurus(name);
}

async function listFiles(folder: CatalogFolder, problems: CatalogProblem[]): Promise<FolderFiles> {
  let names: string[] = [];
  let isUnread = false;
  try {
    names = await readdir(folder.dir);
  } catch (error) {
    const code = systemErrorCode(error);
    isUnread = code !== "ENOENT";
    if (!(code === "ENOENT" && folder.optional === true)) {
      const list = new ProblemList(folder.dir, () => undefined);
      const reason = code === "ENOENT" ? "does not exist" : `cannot be read (${String(code)})`;
      list.report([], "folder", `The catalog folder ${reason}; create it, or leave it out of --catalog.`);
      problems.push(...list.list());
    }
  }
  const files = catalogFiles(names);
  const others = folder.thesaurusOnly === true ? [] : files;
  const toPath = (name: string) => join(folder.dir, name);
  return {
    folder,
    manifests: others.filter((name) => isManifest(name) && folder.only?.includes(name) !== false).map(toPath),
    categories: others.filter(isCategories).map(toPath),
    thesauri: files.filter(isThesaurus).map(toPath),
    ...(folder.thesaurusOnly === true || folder.only !== undefined ? { routes: [] } : await listRoutes(folder.dir)),
    isUnread,
  };
}

async function listRoutes(dir: string): Promise<Pick<FolderFiles, "routes">> {
  const folder = join(dir, ROUTES_FOLDER);
  try {
    return { routes: catalogFiles(await readdir(folder)).map((name) => join(folder, name)) };
  } catch (error) {
    const code = systemErrorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { routes: [] } : {};
  }
}

function catalogFiles(names: readonly string[]): string[] {
  return names.filter((name) => !name.startsWith(".") && ENDINGS.has(extname(name).toLowerCase())).sort();
}
