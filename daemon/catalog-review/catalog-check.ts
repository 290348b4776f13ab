import { dirname } from "node:path";
import { inspectProvider } from "../catalog/checks/inspect-provider.ts";
import { listFolders } from "../catalog/reading/catalog-folder.ts";
import { loadFolders } from "../catalog/reading/catalog-loader.ts";
import { linkFolders } from "../catalog/reading/link-folders.ts";
import { askedFolders, type NamedPaths } from "../catalog/reading/named-paths.ts";
import type { CheckedFile, Inspection } from "../catalog/reading/provider-file.ts";
import { readImportRecord } from "../import/import-folder.ts";
import {
  type CatalogHint,
  deadLinks,
  emptyCategories,
  formerDefaults,
  type HintLink,
  hintsOfFile,
  linksOfFile,
} from "./catalog-advice.ts";
import type { CatalogCheckReport } from "./render-catalog-check.ts";

/**
 * `mkt catalog check`: everything that loading finds, and checks that are too slow for loading: input schemas are
 * compiled and the inputs of the examples are checked against them. Also gives hints at possible improvements, which
 * `strict` treats as problems. Only reads files; needs no daemon. Throws notFound for a path that does not exist.
 */
export async function checkCatalog(
  named: NamedPaths,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<CatalogCheckReport> {
  const { folders, isAsked, isOfWholeFolder } = await askedFolders(named);
  const hints: CatalogHint[] = [];
  const links: HintLink[] = [];
  const imported: CheckedFile[] = [];
  const inspect: Inspection = (loaded, problems, read) => {
    inspectProvider(loaded, problems);
    if (!isAsked(read.source.file)) return;
    hints.push(...hintsOfFile(read));
    links.push(...linksOfFile(read));
    if (read.manifest.source !== undefined && read.manifest.source.kind !== "manual") imported.push(read);
  };
  const loaded = await loadFolders(folders, inspect);
  const { providers, tree } = loaded;
  const linked = linkFolders(loaded);
  const problems = [...loaded.problems, ...linked.problems];
  const entries = providers.flatMap((provider) => provider.entries.filter(({ enabled }) => enabled));
  const { found: listed } = await listFolders(folders);
  for (const file of listed.flatMap(({ categories }) => categories).filter(isOfWholeFolder)) {
    hints.push(...(await emptyCategories(file, tree, entries)));
  }
  for (const read of imported) {
    const record = await readImportRecord(dirname(read.source.file), read.manifest.provider);
    if (record !== undefined) hints.push(...formerDefaults(read, record.manifest));
  }
  hints.push(...deadLinks(links, entries, { isAll: named.paths.length === 0 }));
  const served = providers.filter(({ provider }) => isAsked(provider.file));
  const found = problems.filter(({ file }) => isAsked(file));
  const otherFiles = listed.flatMap(({ categories, thesauri }) => [...categories, ...thesauri]);
  const routes = loaded.routes.routes.filter(
    ({ source, route }) => isAsked(source.file) && !linked.notLoaded.has(route.route),
  );
  return {
    routes: routes.map(({ source }) => source.file),
    otherFiles: otherFiles.filter(isAsked),
    files: served.map(({ provider }) => provider.file),
    endpoints: served.reduce((sum, provider) => sum + provider.entries.length, 0),
    problems: found,
    hints: hints.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0))),
    exitCode: found.length === 0 && !(strict && hints.length > 0) ? 0 : 1,
  };
}
