import { createHash } from "node:crypto";
import { ApiError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/near-misses.ts";
import { applyOwnerPrices } from "../catalog/owner-prices/apply-owner-prices.ts";
import type { CatalogFolder } from "../catalog/reading/catalog-folder.ts";
import { type LoadedFolders, loadFoldersApart } from "../catalog/reading/catalog-loader.ts";
import { OwnerPriceStore } from "../catalog/owner-prices/owner-prices.ts";
import { askedFolders, type ForeignPaths } from "../catalog/reading/named-paths.ts";
import { type ExportedEntry, nameEntries } from "./entry-names.ts";

export interface ExportedCatalog {
  /** By provider, then in the order of the file. */
  readonly entries: readonly ExportedEntry[];
  /** The same for the same files: the beginning of the SHA-256 of their hashes. */
  readonly version: string;
  /** The number of files and endpoints that are left out because of problems. */
  readonly leftOut: number;
}

export interface ExportRequest extends ForeignPaths {
  /** Slugs; empty: all. */
  readonly providers: readonly string[];
  /** The file of the owner's prices, which callers of a daemon pay; it need not exist. */
  readonly ownerPricesFile?: string | undefined;
}

/**
 * What a daemon would serve from these files: endpoints that are enabled and that this version can run. Files with
 * problems are left out, as a daemon does. Throws notFound for a provider that is in none of them.
 */
export async function readExportedCatalog(request: ExportRequest): Promise<ExportedCatalog> {
  const { providers: wanted } = request;
  const { folders, isAsked } = await askedFolders(request);
  const { providers: loaded, problems } = await loadPriced(folders, request);
  const asked = loaded.filter(({ provider }) => isAsked(provider.file));
  const known = asked.map(({ provider }) => provider.provider);
  for (const slug of wanted) {
    if (known.includes(slug)) continue;
    throw new ApiError("notFound", `there is no provider "${slug}" in these files${didYouMean(slug, known)}`);
  }
  const taken = asked
    .filter(({ provider }) => wanted.length === 0 || wanted.includes(provider.provider))
    .sort((one, other) => (one.provider.provider < other.provider.provider ? -1 : 1));
  const entries = taken.flatMap((provider) =>
    provider.entries.filter(({ enabled, notRunnable }) => enabled && notRunnable === undefined),
  );
  const hash = createHash("sha256");
  for (const { provider } of taken) hash.update(`${provider.provider} ${provider.manifestHash}\n`);
  for (const { path, price } of entries.filter(({ isPriceOfOwner }) => isPriceOfOwner)) {
    hash.update(`${path} ${JSON.stringify(price)}\n`);
  }
  const down = problems.filter(({ file, takesDown }) => isAsked(file) && takesDown !== "nothing");
  return {
    entries: nameEntries(entries),
    version: hash.digest("hex").slice(0, 12),
    leftOut: new Set(down.map(({ file, path, takesDown }) => (takesDown === "file" ? file : `${file} ${path}`))).size,
  };
}

async function loadPriced(
  folders: readonly CatalogFolder[],
  { ownerPricesFile: pricesFile, readerScript }: Pick<ExportRequest, "ownerPricesFile" | "readerScript">,
): Promise<LoadedFolders> {
  const loaded = await loadFoldersApart(folders, readerScript);
  if (pricesFile === undefined) return loaded;
  return applyOwnerPrices(loaded, await new OwnerPriceStore(pricesFile).read(), pricesFile);
}
