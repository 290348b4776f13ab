import { readRouteFiles, type RouteFilePlace, type RouteFiles } from "../alternatives/read-route-files.ts";
import { stat } from "node:fs/promises";
import { basename, dirname, extname, join as joinPath } from "node:path";
import type { ReaderScript } from "../../processes/asked-process.ts";
import { type CatalogFolder, type FolderFiles, listFolders, ROUTES_FOLDER } from "./catalog-folder.ts";
import { type CatalogProblem, ProblemList, tellEarlierServed } from "../problems/catalog-problem.ts";
import { type CategoryFileContent, loadCategoryFiles } from "../categories/categories-file.ts";
import { categoriesDigest } from "./categories-digest.ts";
import { CategoryTree } from "../categories/category-tree.ts";
import type { Inspection, LoadedProvider, ProviderFile } from "./provider-file.ts";
import { type KnownCategories, ProviderFileReader, type ProviderFileReaderParts } from "./provider-file-reader.ts";
import { readManifestBytes } from "../parsing/read-manifest-file.ts";
import { readingApart } from "./reading-processes.ts";
import { type LoadedThesaurus, loadThesaurusFiles, type ThesaurusData } from "../thesaurus/thesaurus-file.ts";

export interface LoadedFolders {
  readonly providers: readonly LoadedProvider[];
  readonly tree: CategoryTree;
  /** The same object as before when none of its files changed. */
  readonly thesaurus: ThesaurusData;
  /** The same object as before when none of its files changed. */
  readonly routes: RouteFiles;
  readonly problems: readonly CatalogProblem[];
  /**
   * The problems that keep whole files out, by the slug that their provider would have. No other file serves these
   * providers.
   */
  readonly notLoaded: ReadonlyMap<string, readonly CatalogProblem[]>;
}

/**
 * Reads the catalog folders in the order given. A file that is wrong becomes problems and does not affect the others.
 * When two files have the same provider, the first is kept, except that the owner's own replaces the bundled one.
 */
export async function loadFolders(folders: readonly CatalogFolder[], inspect?: Inspection): Promise<LoadedFolders> {
  return await new CatalogLoader(folders, { inspect }).load();
}

/**
 * As `loadFolders`, but files that did not come with the program are read in separate processes. docs/security.md, T27.
 */
export async function loadFoldersApart(
  folders: readonly CatalogFolder[],
  readerScript: ReaderScript | undefined,
): Promise<LoadedFolders> {
  return await readingApart(readerScript, (processes) => new CatalogLoader(folders, { processes }).load());
}

interface KnownFile {
  readonly folder: CatalogFolder;
  /** Changes whenever the file does. */
  readonly stamp: string;
  readonly read: ProviderFile;
  /** The version that is served: as read, or an earlier version with fewer mistakes. */
  readonly served: ProviderFile;
}

interface KnownTree extends KnownCategories {
  readonly problems: readonly CatalogProblem[];
  readonly contents: ReadonlyMap<string, CategoryFileContent>;
}

interface KnownThesaurus extends LoadedThesaurus {
  readonly stamp: string;
}

/** The number of files that are read concurrently: most of that is waiting for the disk. */
const AT_ONCE = 8;

/**
 * Rereads catalog folders: only files that changed are read again, and a file that has become wrong continues to be
 * served in its last good version (docs/manifest.md, "Reloading").
 */
export class CatalogLoader {
  readonly #folders: readonly CatalogFolder[];
  readonly #reader: ProviderFileReader;
  readonly #isInspecting: boolean;
  #files = new Map<string, KnownFile>();
  #tree: KnownTree | undefined;
  #thesaurus: KnownThesaurus | undefined;
  #routes: RouteFiles | undefined;
  #loaded: LoadedFolders | undefined;
  /** For the files that come with the program, as they were first read. */
  readonly #bundledLooks = new Map<string, Look>();

  constructor(folders: readonly CatalogFolder[], reading: ProviderFileReaderParts = {}) {
    this.#folders = folders;
    this.#reader = new ProviderFileReader(reading);
    this.#isInspecting = reading.inspect !== undefined;
  }

  /** Returns the same object as before when nothing changed. Calls must not overlap. */
  async load(): Promise<LoadedFolders> {
    const { found: listed, problems } = await listFolders(this.#folders);
    // Files that come with the program stay as they were when it started: another version may replace them on disk.
    const isKept = (files: FolderFiles) =>
      files.isUnread || (files.folder.bundled === true && this.#tree !== undefined);
    const found = listed.map((files) => (isKept(files) ? this.#asBefore(files) : files));
    const known = await this.#loadTree(found);
    const thesaurus = await this.#loadThesaurus(found);
    const files = await this.#loadFiles(found, known);
    const routes = await readRouteFiles(await this.#routePlaces(found), known.tree, this.#routes);
    const isSame =
      known === this.#tree && thesaurus === this.#thesaurus && routes === this.#routes && sameFiles(files, this.#files);
    if (this.#files.size === 0) await this.#reader.retain(files.keys());
    this.#files = files;
    this.#tree = known;
    this.#thesaurus = thesaurus;
    this.#routes = routes;
    const before = this.#loaded;
    if (isSame && before !== undefined && sameProblems(problems, before.problems)) return before;
    this.#loaded = join(files, { tree: known, thesaurus, routes }, problems);
    return this.#loaded;
  }

  /** A folder that cannot be read does not remove anything. */
  #asBefore(files: FolderFiles): FolderFiles {
    const isInside = (file: string) => dirname(file) === files.folder.dir;
    return {
      ...files,
      manifests: [...this.#files.keys()].filter(isInside),
      categories: [...(this.#tree?.contents.keys() ?? [])].filter(isInside),
      thesauri: [...(this.#thesaurus?.contents.keys() ?? [])].filter(isInside),
      routes: this.#routesIn(files.folder),
    };
  }

  #routesIn({ dir }: CatalogFolder): readonly string[] {
    const isInside = (file: string) => dirname(file) === joinPath(dir, ROUTES_FOLDER);
    return [...(this.#routes?.read.keys() ?? [])].filter(isInside);
  }

  async #routePlaces(found: readonly FolderFiles[]): Promise<RouteFilePlace[]> {
    const wanted = found.flatMap(({ folder, routes }) =>
      (routes ?? this.#routesIn(folder)).map((file) => ({ file, folder })),
    );
    return await Promise.all(
      wanted.map(async ({ file, folder }) => ({
        file,
        isUsed: mayWord(folder),
        isOwn: folder.replacesBundled === true,
        isBundled: folder.bundled === true,
        stamp: (await lookAt(file)).stamp,
      })),
    );
  }

  async #loadTree(found: readonly FolderFiles[]): Promise<KnownTree> {
    const files = found.flatMap(({ categories }) => categories);
    const stamp = await this.#stampOf(files);
    if (this.#tree?.stamp === stamp) return this.#tree;
    const foreign = new Set(found.flatMap(({ folder, categories }) => (mayWord(folder) ? [] : categories)));
    const bundled = new Set(found.flatMap(({ folder, categories }) => (folder.bundled === true ? categories : [])));
    const { data, problems, contents } = await loadCategoryFiles(files, {
      before: this.#tree?.contents,
      isForeign: (file) => foreign.has(file),
      findBuilt: (file) => (bundled.has(file) ? this.#reader.builtCategories(file) : undefined),
    });
    return { stamp, data, digest: categoriesDigest(data), tree: new CategoryTree(data), problems, contents };
  }

  async #loadThesaurus(found: readonly FolderFiles[]): Promise<KnownThesaurus> {
    const files = found.flatMap(({ folder, thesauri }) => (mayWord(folder) ? thesauri : []));
    const unused = found.flatMap(({ folder, thesauri }) => (mayWord(folder) ? [] : thesauri));
    const bundled = new Set(found.flatMap(({ folder, thesauri }) => (folder.bundled === true ? thesauri : [])));
    const stamp = await this.#stampOf([...files, ...unused]);
    const before = this.#thesaurus;
    if (before?.stamp === stamp) return before;
    const loaded = await loadThesaurusFiles(files, {
      isBundled: (file) => bundled.has(file),
      before: before?.contents,
      inspect: this.#isInspecting,
    });
    return { ...loaded, stamp, problems: [...loaded.problems, ...unused.flatMap(tellUnusedThesaurus)] };
  }

  /** In the order of the folders and names. */
  async #loadFiles(found: readonly FolderFiles[], categories: KnownTree): Promise<Map<string, KnownFile>> {
    const wanted = found.flatMap(({ folder, manifests }) => manifests.map((file) => ({ file, folder })));
    const loaded = new Map<string, KnownFile>();
    const todo = wanted.entries();
    const work = async () => {
      for (const [, { file, folder }] of todo) loaded.set(file, await this.#loadFile(file, folder, categories));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.#reader.rest();
    return new Map(wanted.flatMap(({ file }) => entryOf(loaded, file)));
  }

  async #loadFile(file: string, folder: CatalogFolder, categories: KnownTree): Promise<KnownFile> {
    const look = await this.#lookAt(file);
    const known = this.#files.get(file);
    if (known?.stamp === look.stamp && categories === this.#tree && !isUnread(known.read)) return known;
    const read = await withText(await this.#reader.read({ file, folder, ...look }, categories), file);
    if (known !== undefined && isUnread(read) && isUnread(known.read)) return known;
    const served = known !== undefined && loses(read, known.served) ? keptFrom(known.served, read) : read;
    return { folder, stamp: look.stamp, read, served };
  }

  async #stampOf(files: readonly string[]): Promise<string> {
    return (await Promise.all(files.map((file) => this.#lookAt(file)))).map(({ stamp }) => stamp).join("\n");
  }

  async #lookAt(file: string): Promise<Look> {
    const known = this.#bundledLooks.get(file);
    if (known !== undefined) return known;
    const look = await lookAt(file);
    const isBundled = this.#folders.some(({ dir, bundled }) => bundled === true && dir === dirname(file));
    if (isBundled) this.#bundledLooks.set(file, look);
    return look;
  }
}

async function withText(read: ProviderFile, file: string): Promise<ProviderFile> {
  const { loaded } = read;
  if (loaded?.entries.some((entry) => entry.async !== undefined) !== true) return read;
  const bytes = await readManifestBytes(file, new ProblemList(file, () => undefined));
  return bytes === undefined ? read : { ...read, loaded: { ...loaded, text: bytes.toString("utf8") } };
}

function entryOf<Value>(map: ReadonlyMap<string, Value>, key: string): [string, Value][] {
  const value = map.get(key);
  return value === undefined ? [] : [[key, value]];
}

/**
 * The operator is responsible for what is in the folder. An untrusted thesaurus could lead callers who search for
 * anything to its own endpoints, untrusted categories could keep the daemon busy, and an untrusted route could call granted
 * endpoints with input of its own.
 */
function mayWord({ bundled, trusted, replacesBundled }: CatalogFolder): boolean {
  return bundled === true || trusted === true || replacesBundled === true;
}

function tellUnusedThesaurus(file: string): readonly CatalogProblem[] {
  const list = new ProblemList(file, () => undefined);
  const message =
    "The thesaurus of a folder that is not trusted is not used; move it to the catalog folder of your configuration, or name its folder with --trusted-catalog.";
  list.report([], "thesaurus", message, "nothing");
  return list.list();
}

/** Anything in the file's metadata that shows a change. */
interface Look {
  readonly stamp: string;
}

async function lookAt(file: string): Promise<Look> {
  const facts = await stat(file, { bigint: true }).catch(() => undefined);
  if (facts === undefined) return { stamp: `${file} cannot be read` };
  const { dev, ino, size, mtimeNs, ctimeNs } = facts;
  return { stamp: [file, dev, ino, size, mtimeNs, ctimeNs].join(" ") };
}

/** It could not be read, whatever it contains. That may pass without any change to the file, so it is tried again. */
function isUnread({ problems }: ProviderFile): boolean {
  return problems.some(({ rule }) => rule === "file");
}

/** Whether a mistake in a file takes down something that was served before. */
function loses({ loaded, problems }: ProviderFile, before: ProviderFile): boolean {
  if (before.loaded === undefined) return false;
  if (loaded === undefined) return true;
  const served = new Set(loaded.entries.map(({ path }) => path));
  const lost = before.loaded.entries.filter(({ path }) => !served.has(path));
  return lost.some(({ path }) =>
    problems.some((problem) => problem.takesDown === "endpoint" && isWithin(problem.path, `endpoints.${path}`)),
  );
}

/** `endpoints./items` is not within `endpoints./item`. */
export function isWithin(place: string, whole: string): boolean {
  return place.startsWith(whole) && ["", ".", "["].includes(place.slice(whole.length, whole.length + 1));
}

/** The previous version, with the problems of the new one. */
function keptFrom(before: ProviderFile, { problems }: ProviderFile): ProviderFile {
  return { ...before, problems: problems.map(tellEarlierServed) };
}

function sameFiles(now: ReadonlyMap<string, KnownFile>, before: ReadonlyMap<string, KnownFile>): boolean {
  return now.size === before.size && [...now].every(([file, known]) => before.get(file) === known);
}

/** Problems of folders; those of files come with the files. */
function sameProblems(ofFolders: readonly CatalogProblem[], before: readonly CatalogProblem[]): boolean {
  const earlier = before.filter(({ rule }) => rule === "folder");
  return JSON.stringify(ofFolders) === JSON.stringify(earlier);
}

function join(
  files: ReadonlyMap<string, KnownFile>,
  {
    tree: { tree, problems: treeProblems },
    thesaurus,
    routes,
  }: { readonly tree: KnownTree; readonly thesaurus: KnownThesaurus; readonly routes: RouteFiles },
  folderProblems: readonly CatalogProblem[],
): LoadedFolders {
  const providers = new Map<string, { readonly loaded: LoadedProvider; readonly folder: CatalogFolder }>();
  const notLoaded = new Map<string, readonly CatalogProblem[]>();
  const problems: CatalogProblem[] = [...folderProblems, ...treeProblems, ...thesaurus.problems];
  for (const [file, { served, folder }] of files) {
    problems.push(...served.problems);
    const { loaded } = served;
    if (loaded === undefined) {
      notLoaded.set(served.slug ?? slugOfName(file), served.problems);
      continue;
    }
    const slug = loaded.provider.provider;
    const twin = providers.get(slug);
    if (twin === undefined || (twin.folder.bundled === true && folder.replacesBundled === true)) {
      providers.set(slug, { loaded, folder });
    } else {
      problems.push(...tellTwin(file, twin.loaded.provider.file, { slug, line: served.providerLine }));
    }
  }
  const served = [...providers.values()].map(({ loaded }) => loaded);
  for (const slug of providers.keys()) notLoaded.delete(slug);
  problems.push(...routes.problems);
  return { providers: served, tree, thesaurus: thesaurus.data, routes, problems, notLoaded };
}

/** Files are named after their provider. */
function slugOfName(file: string): string {
  return basename(file, extname(file));
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
