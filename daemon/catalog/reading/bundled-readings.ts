import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type CategoryFileContent, loadCategoryFiles } from "../categories/categories-file.ts";
import { CategoryTree } from "../categories/category-tree.ts";
import { listFolders } from "./catalog-folder.ts";
import { categoriesDigest } from "./categories-digest.ts";
import { type FoldedReading, foldReading } from "./folded-reading.ts";
import { readProviderFile } from "./provider-file.ts";

/** The bundled provider files as the build read and checked them, so that no start has to. Plain data. */
export interface BundledReadings {
  /** The digest of the categories that they were read with: other categories place endpoints elsewhere. */
  readonly categories: string;
  /** Category files without mistakes, by file name. */
  readonly categoryFiles: Readonly<Record<string, { readonly hash: string; readonly content: CategoryFileContent }>>;
  /** By file name. */
  readonly files: Readonly<Record<string, FoldedReading>>;
}

/** Reads every provider file of the bundled folder. A file with a problem is left out: each start reports it then. */
export async function readBundledFolder(dir: string): Promise<BundledReadings> {
  const folder = { dir, bundled: true, trusted: true };
  const [listed] = (await listFolders([folder])).found;
  const { data, problems, contents } = await loadCategoryFiles(listed?.categories ?? []);
  const categoryFiles: Record<string, { readonly hash: string; readonly content: CategoryFileContent }> = {};
  for (const [file, content] of problems.length === 0 ? contents : []) {
    categoryFiles[basename(file)] = { hash: hashOf(file) ?? "", content };
  }
  const tree = new CategoryTree(data);
  const files: Record<string, FoldedReading> = {};
  for (const file of listed?.manifests ?? []) {
    const read = await readProviderFile(file, { folder, tree });
    const folded = foldReading(read);
    if (read.problems.length > 0 || folded.provider === undefined) continue;
    // Its name alone: where a package is built is nobody's business, and equal builds have equal marks.
    files[basename(file)] = { ...folded, provider: { ...folded.provider, file: basename(file) } };
  }
  return { categories: categoriesDigest(data), categoryFiles, files };
}

/**
 * What the build read from this file; undefined when the file or the categories are no longer those of the build, and
 * for a file that the build did not read.
 */
export function findBundledReading(
  readings: BundledReadings | undefined,
  file: string,
  categories: string,
): FoldedReading | undefined {
  if (readings?.categories !== categories) return undefined;
  const read = readings.files[basename(file)];
  if (read?.provider === undefined || hashOf(file) !== read.provider.manifestHash) return undefined;
  return { ...read, provider: { ...read.provider, file } };
}

/** What the build read from this category file; undefined when it is no longer that file. */
export function findBundledCategories(
  readings: BundledReadings | undefined,
  file: string,
): CategoryFileContent | undefined {
  const read = readings?.categoryFiles[basename(file)];
  return read !== undefined && hashOf(file) === read.hash ? read.content : undefined;
}

/** Not in the background: a hundred small files, before anything is served, take a fraction of the time this way. */
function hashOf(file: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch {
    return undefined;
  }
}

/** As ASCII: with one other letter in it, V8 would hold two bytes for each of more than a million while a start reads it. */
export function bundledReadingsText(readings: BundledReadings): string {
  return JSON.stringify(readings).replaceAll(
    /[^\0-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The readings that lie beside a bundled folder; undefined where the sources run unbuilt. */
export function loadBundledReadings(bundledDir: string): BundledReadings | undefined {
  try {
    const text = readFileSync(bundledReadingsFile(bundledDir), "utf8");
    const readings = JSON.parse(text) as BundledReadings | undefined;
    return readings?.categoryFiles === undefined ? undefined : readings;
  } catch {
    return undefined;
  }
}

export function bundledReadingsFile(bundledDir: string): string {
  return join(dirname(bundledDir), "bundled-readings.json");
}
