import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ApiError } from "../../../shared/errors.ts";
import type { ReaderScript } from "../../processes/asked-process.ts";
import { type CatalogFolder, ROUTES_FOLDER } from "./catalog-folder.ts";

/** The paths that a command on files was given. */
export interface NamedPaths {
  /** Files and folders; empty: `defaults`. */
  readonly paths: readonly string[];
  /** What is read when nothing is named: the folders that a daemon would load. */
  readonly defaults: readonly CatalogFolder[];
  /** The bundled folder, whose categories every file may use. */
  readonly bundledDir?: string;
  /** The source of the bundled folder, beside the program: a file there may use what bundled files may use. */
  readonly bundledSourceDir?: string;
}

/** Files to be read that other people may have written. */
export interface ForeignPaths extends NamedPaths {
  /** The script that reads them in a separate process; absent when running from the sources. */
  readonly readerScript?: ReaderScript | undefined;
}

/** The folders to load, and what of them was requested: the bundled folder is loaded for its categories too. */
export interface AskedFolders {
  readonly folders: readonly CatalogFolder[];
  readonly isAsked: (file: string) => boolean;
  /** The request covered everything in the file's folder. */
  readonly isOfWholeFolder: (file: string) => boolean;
}

/**
 * Beside a named path only the bundled categories are loaded, so that a file that will become part of the bundled
 * catalog can be checked. Throws notFound for a path that does not exist.
 */
export async function askedFolders({ paths, defaults, ...own }: NamedPaths): Promise<AskedFolders> {
  const { bundledDir } = own;
  const asked: readonly AskedFolder[] =
    paths.length === 0 ? defaults : await Promise.all(paths.map((path) => toFolder(path, own)));
  const hasRoutes = await anyHasRoutes(asked);
  const bundled =
    bundledDir === undefined
      ? []
      : [{ dir: bundledDir, bundled: true, trusted: true, ...(paths.length > 0 && !hasRoutes && { only: [] }) }];
  // A route may name endpoints of any folder.
  return {
    folders: [...bundled, ...asked, ...(hasRoutes && paths.length > 0 ? defaults : [])],
    isAsked: (file) => asked.some((folder) => isIn(folder, file)),
    isOfWholeFolder: (file) => asked.some((folder) => folder.only === undefined && isIn(folder, file)),
  };
}

/** A catalog folder of which only route files were named. */
interface AskedFolder extends CatalogFolder {
  /** One of its route files. */
  readonly routeFile?: string;
  /** All of its route files, and nothing else of it. */
  readonly routesOnly?: true;
}

async function anyHasRoutes(asked: readonly AskedFolder[]): Promise<boolean> {
  const whole = asked.filter(({ only }) => only === undefined);
  const found = await Promise.all(
    whole.map(
      async ({ dir }) =>
        await stat(join(dir, ROUTES_FOLDER))
          .then((facts) => facts.isDirectory())
          .catch(() => false),
    ),
  );
  return found.includes(true);
}

async function toFolder(
  path: string,
  { bundledDir, bundledSourceDir }: Pick<NamedPaths, "bundledDir" | "bundledSourceDir">,
): Promise<AskedFolder> {
  const full = resolve(path);
  const isFolder = await stat(full).then(
    (facts) => facts.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined) throw new ApiError("notFound", `${path} does not exist; name a catalog file or folder`);
  if (!isFolder && !/\.(?:ya?ml|json)$/i.test(full)) {
    throw new ApiError("invalidInput", `${path} is no provider file: its name must end in .yaml, .yml or .json`);
  }
  const routes = isFolder ? full : dirname(full);
  if (basename(routes) === ROUTES_FOLDER) {
    const named = isFolder ? { routesOnly: true as const } : { routeFile: full };
    return { dir: dirname(routes), replacesBundled: true, ...named };
  }
  const dir = isFolder ? full : dirname(full);
  const bundled = [bundledDir, bundledSourceDir].some((own) => own !== undefined && dir === resolve(own));
  // A checked file counts as the owner's own, since the person who checks it means to use it.
  return { dir, bundled, replacesBundled: true, ...(!isFolder && { only: [basename(full)] }) };
}

function isIn(folder: AskedFolder, file: string): boolean {
  const dir = resolve(folder.dir);
  if (folder.routeFile !== undefined) return file === folder.routeFile;
  if (dirname(file) === join(dir, ROUTES_FOLDER)) return folder.only === undefined;
  if (folder.routesOnly === true) return false;
  if (file === dir) return true;
  if (dirname(file) !== dir) return false;
  return folder.only === undefined || folder.only.includes(basename(file)) || /^categories\./i.test(basename(file));
}
