import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { ApiError } from "../../../shared/errors.ts";
import type { ReaderScript } from "../../processes/asked-process.ts";
import type { CatalogFolder } from "./catalog-folder.ts";

/** What a command on files was told to look at. */
export interface NamedPaths {
  /** Files and folders; empty: `defaults`. */
  readonly paths: readonly string[];
  /** What is looked at when nothing is named: the folders that a daemon would load. */
  readonly defaults: readonly CatalogFolder[];
  /** The bundled folder, whose categories every file may use. */
  readonly bundledDir?: string;
  /** What the bundled folder was made of, beside the program: what is named there may say what bundled files may. */
  readonly bundledSourceDir?: string;
}

/** Files to be read that others may have written. */
export interface ForeignPaths extends NamedPaths {
  /** What reads them in a process of its own; absent where the sources run as they are. */
  readonly readerScript?: ReaderScript | undefined;
}

/** The folders to load, and what of them was asked for: the bundled folder is loaded for its categories too. */
export interface AskedFolders {
  readonly folders: readonly CatalogFolder[];
  readonly isAsked: (file: string) => boolean;
  /** Everything in the file's folder was asked for. */
  readonly isOfWholeFolder: (file: string) => boolean;
}

/**
 * Beside a path that was named only the bundled categories are loaded, so that a file may be looked at that is to become
 * part of the bundled catalog. Throws notFound for a path that is not there.
 */
export async function askedFolders({ paths, defaults, ...own }: NamedPaths): Promise<AskedFolders> {
  const { bundledDir } = own;
  const asked = paths.length === 0 ? defaults : await Promise.all(paths.map((path) => toFolder(path, own)));
  const bundled =
    bundledDir === undefined
      ? []
      : [{ dir: bundledDir, bundled: true, trusted: true, ...(paths.length > 0 && { only: [] }) }];
  return {
    folders: [...bundled, ...asked],
    isAsked: (file) => asked.some((folder) => isIn(folder, file)),
    isOfWholeFolder: (file) => asked.some((folder) => folder.only === undefined && isIn(folder, file)),
  };
}

async function toFolder(
  path: string,
  { bundledDir, bundledSourceDir }: Pick<NamedPaths, "bundledDir" | "bundledSourceDir">,
): Promise<CatalogFolder> {
  const full = resolve(path);
  const isFolder = await stat(full).then(
    (facts) => facts.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined) throw new ApiError("notFound", `${path} does not exist; name a catalog file or folder`);
  if (!isFolder && !/\.(?:ya?ml|json)$/i.test(full)) {
    throw new ApiError("invalidInput", `${path} is no provider file: its name must end in .yaml, .yml or .json`);
  }
  const dir = isFolder ? full : dirname(full);
  const bundled = [bundledDir, bundledSourceDir].some((own) => own !== undefined && dir === resolve(own));
  // What is checked is taken for the owner's own: who looks at a file means to use it.
  return { dir, bundled, replacesBundled: true, ...(!isFolder && { only: [basename(full)] }) };
}

function isIn(folder: CatalogFolder, file: string): boolean {
  const dir = resolve(folder.dir);
  if (file === dir) return true;
  if (dirname(file) !== dir) return false;
  return folder.only === undefined || folder.only.includes(basename(file)) || /^categories\./i.test(basename(file));
}
