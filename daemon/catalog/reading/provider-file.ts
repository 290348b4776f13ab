import { slugPattern } from "../../../shared/contract/common.ts";
import { buildEntries } from "../entries/build-entries.ts";
import type { CatalogEntry, CatalogProvider, CatalogResource } from "../entries/catalog-entry.ts";
import type { CatalogFolder } from "./catalog-folder.ts";
import type { CatalogProblem, ProblemList } from "../problems/catalog-problem.ts";
import type { CategoryTree } from "../categories/category-tree.ts";
import { checkManifest } from "../checks/check-manifest.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { placeByText } from "../categories/place-by-text.ts";
import { type CatalogSource, parseManifestBytes, readManifestFile } from "../parsing/read-manifest-file.ts";
import { schemaCompiler } from "../input/schema-compiler.ts";

export interface LoadedProvider {
  readonly provider: CatalogProvider;
  /** Includes disabled ones. */
  readonly entries: readonly CatalogEntry[];
  readonly resources: readonly CatalogResource[];
  /** The text of the file, kept when it has jobs, because runs under this version may outlive it. */
  readonly text?: string;
}

/** One provider's file as it was read: plain data. */
export interface ProviderFile {
  /** Absent when something keeps the whole file out. */
  readonly loaded?: LoadedProvider;
  readonly problems: readonly CatalogProblem[];
  /** The line of `provider`, for problems that involve other files. */
  readonly providerLine?: number;
  /** The provider slug in the file; absent when there is none or it cannot be read. */
  readonly slug?: string;
}

/** Further checks of one checked file, for `mkt catalog check`. */
export type Inspection = (loaded: LoadedProvider, problems: ProblemList, read: CheckedFile) => void;

/** A file as it was written. */
export interface CheckedFile {
  readonly source: CatalogSource;
  readonly manifest: Manifest;
}

export interface ProviderFileContext {
  readonly folder: CatalogFolder;
  readonly tree: CategoryTree;
  readonly inspect?: Inspection | undefined;
}

/** Reads, checks and builds one provider's file. Errors become problems; nothing is thrown. */
export async function readProviderFile(file: string, context: ProviderFileContext): Promise<ProviderFile> {
  const read = await readManifestFile(file);
  return "problems" in read ? read : buildProviderFile(read.source, context);
}

/** As `readProviderFile`, from the bytes of the file. */
export async function readProviderBytes(
  bytes: Uint8Array,
  file: string,
  context: ProviderFileContext,
): Promise<ProviderFile> {
  const read = await parseManifestBytes(bytes, file);
  return "problems" in read ? read : buildProviderFile(read.source, context);
}

/** As `readProviderFile`, from a source that was read already. */
export function buildProviderFile(source: CatalogSource, { folder, tree, inspect }: ProviderFileContext): ProviderFile {
  const bundled = folder.bundled === true;
  const { problems, checked } = checkManifest(source, { compiler: schemaCompiler(), bundled });
  const line = source.lineOf(["provider"]);
  const done = (loaded?: LoadedProvider): ProviderFile => ({
    ...(loaded !== undefined && { loaded }),
    problems: problems.list(),
    ...(line !== undefined && { providerLine: line }),
    ...slugIn(source),
  });
  if (checked === undefined) return done();
  const { manifest } = checked;
  if (tree.has(manifest.provider)) {
    const message = `"${manifest.provider}" is the id of a category; a provider needs a slug of its own`;
    problems.report(["provider"], "category", message);
    return done();
  }
  const built = buildEntries(checked, { source, trusted: bundled || folder.trusted === true });
  const byText = placeByText(manifest, tree);
  const entries = built.entries.map((entry) => categorise(entry, manifest, { problems, tree, byText }));
  const loaded = { ...built, entries };
  inspect?.(loaded, problems, { source, manifest });
  return done(loaded);
}

function slugIn({ value }: CatalogSource): Pick<ProviderFile, "slug"> {
  const slug = typeof value === "object" && value !== null && "provider" in value ? value.provider : undefined;
  return typeof slug === "string" && slugPattern.test(slug) ? { slug } : {};
}

function categorise(
  entry: CatalogEntry,
  manifest: Manifest,
  { problems, tree, byText }: { readonly problems: ProblemList; tree: CategoryTree; byText: readonly string[] },
): CatalogEntry {
  const isOwn = manifest.endpoints[entry.path]?.categories !== undefined;
  const known = entry.categories.filter((path, index) => {
    const complaint = tree.explainUnknown(path);
    if (complaint === undefined) return true;
    const place = isOwn ? ["endpoints", entry.path, "categories", index] : ["categories", index];
    problems.report(place, "category", complaint, "nothing");
    return false;
  });
  const authored = isOwn || manifest.categories.length > 0 ? known : byText;
  return { ...entry, categories: [...new Set([...authored, ...tree.placementPaths(manifest.provider)])] };
}
