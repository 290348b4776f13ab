import type { CategoryTree } from "../categories/category-tree.ts";
import { schemaCompiler } from "../input/schema-compiler.ts";
import { readManifestFile } from "../parsing/read-manifest-file.ts";
import { type CatalogProblem, ProblemList, tellEarlierServed } from "../problems/catalog-problem.ts";
import { checkRouteFile, type LoadedRoute, type RouteReading } from "./check-route-file.ts";

/** A route is a page of text; a longer file is a mistake. docs/security.md, T27 */
const MAX_ROUTE_BYTES = 256 * 1024;

/** One route file of a folder. */
export interface RouteFilePlace {
  readonly file: string;
  /** False in a folder that is not trusted: it is not even read. */
  readonly isUsed: boolean;
  /** Of the owner's own folder: it replaces a bundled route of the same name. */
  readonly isOwn: boolean;
  readonly isBundled: boolean;
  /** Changes whenever the file does. */
  readonly stamp: string;
}

/** All route files as they were read; the same object as before while none of them changed. */
export interface RouteFiles {
  readonly key: string;
  readonly tree: CategoryTree;
  readonly read: ReadonlyMap<string, RouteReading>;
  readonly routes: readonly LoadedRoute[];
  readonly problems: readonly CatalogProblem[];
  /** The problems that keep routes out, by their name. */
  readonly notLoaded: ReadonlyMap<string, readonly CatalogProblem[]>;
}

/**
 * Reads route files. A file that has become wrong continues to be served in its last good version, as those of providers do
 * (docs/manifest.md, "Reloading").
 */
export async function readRouteFiles(
  places: readonly RouteFilePlace[],
  tree: CategoryTree,
  before: RouteFiles | undefined,
): Promise<RouteFiles> {
  const key = places.map(({ stamp }) => stamp).join("\n");
  if (before?.key === key && before.tree === tree) return before;
  const read = new Map<string, RouteReading>();
  for (const { file, isUsed } of places) {
    read.set(file, isUsed ? keepGood(await readOne(file, tree), before?.read.get(file)) : tellUnused(file));
  }
  return { key, tree, read, ...joinRoutes(places, read) };
}

async function readOne(file: string, tree: CategoryTree): Promise<RouteReading> {
  const result = await readManifestFile(file, MAX_ROUTE_BYTES);
  return "problems" in result ? result : checkRouteFile(result.source, { compiler: schemaCompiler(), tree });
}

function tellUnused(file: string): RouteReading {
  const list = new ProblemList(file, () => undefined);
  const message =
    "The routes of a folder that is not trusted are not used; move them to the catalog folder of your configuration, or name their folder with --trusted-catalog.";
  list.report([], "route", message, "nothing");
  return { problems: list.list() };
}

function keepGood(now: RouteReading, before: RouteReading | undefined): RouteReading {
  if (now.loaded !== undefined || before?.loaded === undefined) return now;
  return { loaded: before.loaded, problems: now.problems.map(tellEarlierServed) };
}

function joinRoutes(
  places: readonly RouteFilePlace[],
  read: ReadonlyMap<string, RouteReading>,
): Pick<RouteFiles, "routes" | "problems" | "notLoaded"> {
  const routes = new Map<string, { readonly loaded: LoadedRoute; readonly isBundled: boolean }>();
  const problems: CatalogProblem[] = [];
  const notLoaded = new Map<string, readonly CatalogProblem[]>();
  for (const { file, isUsed, isOwn, isBundled } of places) {
    const reading = read.get(file);
    problems.push(...(reading?.problems ?? []));
    const loaded = reading?.loaded;
    if (loaded === undefined) {
      if (isUsed) notLoaded.set(nameOf(file), reading?.problems ?? []);
      continue;
    }
    const twin = routes.get(loaded.route.route);
    if (twin === undefined || (twin.isBundled && isOwn)) routes.set(loaded.route.route, { loaded, isBundled });
    else problems.push(...tellTwin(loaded, twin.loaded.source.file));
  }
  for (const name of routes.keys()) notLoaded.delete(name);
  return { routes: [...routes.values()].map(({ loaded }) => loaded), problems, notLoaded };
}

function nameOf(file: string): string {
  return file.replace(/^.*[/\\]/, "").replace(/\.[^.]+$/, "");
}

function tellTwin({ source, route }: LoadedRoute, used: string): readonly CatalogProblem[] {
  const list = new ProblemList(source.file, source.lineOf);
  const message = `there are two files for the route "${route.route}": ${used} is used, ${source.file} is not; rename or remove one`;
  list.report(["route"], "duplicate", message);
  return list.list();
}
