import { stat } from "node:fs/promises";
import { type CatalogFolder, type FolderFiles, listFolders } from "./catalog-folder.ts";
import { type CatalogProblem, ProblemList } from "./catalog-problem.ts";
import { loadCategoryFiles } from "./categories-file.ts";
import { CategoryTree } from "./categories.ts";
import { type Inspection, type LoadedProvider, type ProviderFile, readProviderFile } from "./provider-file.ts";
import type { ProviderFileCache } from "./provider-file-cache.ts";

export interface LoadedFolders {
  readonly providers: readonly LoadedProvider[];
  readonly tree: CategoryTree;
  readonly problems: readonly CatalogProblem[];
}

/**
 * Reads the catalog folders in the order given. A file that is wrong becomes problems and takes nothing else down; of two
 * files for one provider the first is kept.
 */
export async function loadFolders(folders: readonly CatalogFolder[], inspect?: Inspection): Promise<LoadedFolders> {
  return await new CatalogLoader(folders, { inspect }).load();
}

export interface CatalogLoaderParts {
  readonly inspect?: Inspection | undefined;
  readonly cache?: ProviderFileCache | undefined;
}

interface KnownFile {
  /** Changes whenever the file does. */
  readonly stamp: string;
  readonly read: ProviderFile;
  /** What is served of it: as read, or an earlier version that was better. */
  readonly served: ProviderFile;
}

interface KnownTree {
  readonly stamp: string;
  readonly tree: CategoryTree;
  readonly problems: readonly CatalogProblem[];
}

/**
 * Reads catalog folders again and again: only files that changed are read anew, and one that has become wrong goes on
 * being served as it last was good (Manifest rule 14).
 */
export class CatalogLoader {
  readonly #folders: readonly CatalogFolder[];
  readonly #inspect: Inspection | undefined;
  readonly #cache: ProviderFileCache | undefined;
  #files = new Map<string, KnownFile>();
  #tree: KnownTree | undefined;
  #loaded: LoadedFolders | undefined;

  /** `inspect` sees files that are read, not those that the cache has. */
  constructor(folders: readonly CatalogFolder[], { inspect, cache }: CatalogLoaderParts = {}) {
    this.#folders = folders;
    this.#inspect = inspect;
    this.#cache = cache;
  }

  /** The same object as before when nothing changed. One at a time. */
  async load(): Promise<LoadedFolders> {
    const { found, problems } = await listFolders(this.#folders);
    const known = await this.#loadTree(found);
    const files = new Map<string, KnownFile>();
    for (const { folder, manifests } of found) {
      for (const file of manifests) files.set(file, await this.#loadFile(file, folder, known));
    }
    const isSame = known === this.#tree && sameFiles(files, this.#files);
    if (this.#files.size === 0) await this.#cache?.retain(files.keys());
    this.#files = files;
    this.#tree = known;
    const before = this.#loaded;
    if (isSame && before !== undefined && sameProblems(problems, before.problems)) return before;
    this.#loaded = join(files, known, problems);
    return this.#loaded;
  }

  async #loadTree(found: readonly FolderFiles[]): Promise<KnownTree> {
    const files = found.flatMap(({ categories }) => categories);
    const stamp = (await Promise.all(files.map(stampOf))).join("\n");
    if (this.#tree?.stamp === stamp) return this.#tree;
    const { data, problems } = await loadCategoryFiles(files);
    return { stamp, tree: new CategoryTree(data), problems };
  }

  async #loadFile(file: string, folder: CatalogFolder, { tree, stamp: treeStamp }: KnownTree): Promise<KnownFile> {
    const stamp = await stampOf(file);
    const known = this.#files.get(file);
    if (known?.stamp === stamp && tree === this.#tree?.tree) return known;
    const key = { file, stamp: JSON.stringify([stamp, treeStamp, folder.bundled === true, folder.trusted === true]) };
    const kept = await this.#cache?.find(key);
    const read = kept ?? (await readProviderFile(file, { folder, tree, inspect: this.#inspect }));
    if (kept === undefined) this.#cache?.put(key, read);
    const served = known !== undefined && loses(read, known.served) ? keptFrom(known.served, read) : read;
    return { stamp, read, served };
  }
}

/** Anything that a look at a file's facts can tell of a change. */
async function stampOf(file: string): Promise<string> {
  const facts = await stat(file, { bigint: true }).catch(() => undefined);
  if (facts === undefined) return `${file} cannot be read`;
  return [file, facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(" ");
}

/** Whether a mistake in a file takes down what was served of it. */
function loses({ loaded, problems }: ProviderFile, before: ProviderFile): boolean {
  if (before.loaded === undefined) return false;
  if (loaded === undefined) return true;
  const served = new Set(loaded.entries.map(({ path }) => path));
  const lost = before.loaded.entries.filter(({ path }) => !served.has(path));
  return lost.some(({ path }) =>
    problems.some((problem) => problem.takesDown === "endpoint" && problem.path.startsWith(`endpoints.${path}`)),
  );
}

/** The version before, told with what is wrong with the new one. */
function keptFrom(before: ProviderFile, { problems }: ProviderFile): ProviderFile {
  return {
    ...before,
    problems: problems.map((problem) => ({
      ...problem,
      message: `${problem.message} Until it is mended, the version before it is served.`,
      takesDown: "nothing" as const,
    })),
  };
}

function sameFiles(now: ReadonlyMap<string, KnownFile>, before: ReadonlyMap<string, KnownFile>): boolean {
  return now.size === before.size && [...now].every(([file, known]) => before.get(file) === known);
}

/** Of folders: files bring theirs with them. */
function sameProblems(ofFolders: readonly CatalogProblem[], before: readonly CatalogProblem[]): boolean {
  const earlier = before.filter(({ rule }) => rule === "folder");
  return JSON.stringify(ofFolders) === JSON.stringify(earlier);
}

function join(
  files: ReadonlyMap<string, KnownFile>,
  { tree, problems: treeProblems }: KnownTree,
  folderProblems: readonly CatalogProblem[],
): LoadedFolders {
  const providers = new Map<string, LoadedProvider>();
  const problems: CatalogProblem[] = [...folderProblems, ...treeProblems];
  for (const [file, { served }] of files) {
    problems.push(...served.problems);
    const { loaded } = served;
    if (loaded === undefined) continue;
    const slug = loaded.provider.provider;
    const twin = providers.get(slug);
    if (twin === undefined) providers.set(slug, loaded);
    else problems.push(...tellTwin(file, twin.provider.file, { slug, line: served.providerLine }));
  }
  return { providers: [...providers.values()], tree, problems };
}

function tellTwin(
  file: string,
  used: string,
  { slug, line }: { readonly slug: string; readonly line: number | undefined },
): readonly CatalogProblem[] {
  const list = new ProblemList(file, () => line);
  const message = `there are two files for "${slug}": ${used} is used, ${file} is not; rename or remove one`;
  list.report(["provider"], "duplicate", message);
  return list.list();
}
