import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Catalog, type CatalogParts, loadCatalog } from "../catalog/catalog.ts";
import type { CatalogFolder } from "../catalog/reading/catalog-folder.ts";
import { GrantsDocument, type GrantStore } from "../catalog/grants/grants.ts";
import { readingApart } from "../catalog/reading/reading-processes.ts";
import { createSecretStore } from "../catalog/grants/secret-store.ts";
import { ConfigRefused } from "../config/config-refused.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { openOwnerPrices } from "../config/open-owner-prices.ts";
import type { ReaderScript } from "../processes/asked-process.ts";
import { openSecretsFile } from "../storage/documents/secrets-file.ts";

/**
 * Catalog folders with the operator's grants and secrets, for a command that calls providers without a daemon. Only
 * reads, and only once, so the daemon may run meanwhile. Rejects with `ConfigRefused`.
 */
export async function openOperatorCatalog(
  config: DaemonConfig,
  folders: readonly CatalogFolder[],
  readerScript?: ReaderScript,
): Promise<Catalog> {
  const { dataDir, configDir, environment, trustedCatalogDirs, allowPrivateHosts } = config;
  const parts: CatalogParts = {
    folders: folders.map((folder) => ({
      ...folder,
      trusted: folder.trusted === true || trustedCatalogDirs.includes(folder.dir),
    })),
    grants: await readGrants(dataDir),
    environment,
    storedSecrets: createSecretStore(await openSecretsFile(configDir), environment),
    ownerPrices: await openOwnerPrices(configDir),
    allowPrivateHosts,
  };
  return await readingApart(readerScript, (processes) => loadCatalog({ ...parts, reading: { processes } }));
}

/** The current grants; only the daemon can add one. */
export async function readGrants(dataDir: string): Promise<GrantStore> {
  const file = join(dataDir, "docs", "grants.json");
  const text = await readFile(file, "utf8").catch(() => '{"grants":[]}');
  let document: GrantsDocument;
  try {
    document = GrantsDocument.parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigRefused(`The file ${file} cannot be parsed. Look at it with: mkt doctor`, { cause });
  }
  const refuse = () => Promise.reject(new Error("grants are given by the daemon"));
  return { list: () => document.grants, put: refuse, remove: refuse };
}
