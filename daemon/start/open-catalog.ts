import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { OpenParts } from "../base/open-parts.ts";
import { type Catalog, type CatalogParts, loadCatalog } from "../catalog/catalog.ts";
import { DocumentGrantStore, GrantsDocument } from "../catalog/grants/grants.ts";
import { createSecretStore, type SecretStore } from "../catalog/grants/secret-store.ts";
import { loadBundledReadings } from "../catalog/reading/bundled-readings.ts";
import { openProviderFileCache } from "../catalog/reading/provider-file-cache.ts";
import { openReadingProcesses } from "../catalog/reading/reading-processes.ts";
import { catalogFolders } from "../config/catalog-folders.ts";
import { ToolMarks, ToolMarksDocument } from "../import/tool-marks.ts";
import type { Logger } from "../base/logger.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { openOwnerPrices } from "../config/open-owner-prices.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";

export interface OpenCatalogParts {
  readonly config: DaemonConfig;
  readonly opened: OpenParts;
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface OpenCatalog {
  readonly catalog: Catalog;
  readonly secrets: SecretStore;
  readonly toolMarks: ToolMarks;
  /** Stops reading catalog files; nothing is read afterwards. */
  endReading(): Promise<void>;
}

/** Opens the catalog with the owner's grants, secrets and prices. Rejects with `ConfigRefused`. */
export async function openCatalog(parts: OpenCatalogParts): Promise<OpenCatalog> {
  const { configDir, environment, allowPrivateHosts } = parts.config;
  const grants = await parts.documents.open("grants.json", GrantsDocument, { grants: [] });
  const secrets = createSecretStore(await parts.documents.openSecrets(), environment, parts.clock);
  const marks = await parts.documents.open("tool-marks.json", ToolMarksDocument, { marks: [] });
  const toolMarks = new ToolMarks({ document: marks, logger: parts.logger });
  const reading = openReading(parts);
  const catalog = await loadCatalog({
    folders: await catalogFolders(parts.config),
    grants: new DocumentGrantStore(grants),
    environment,
    storedSecrets: secrets,
    toolMarks,
    ownerPrices: await openOwnerPrices(configDir),
    allowPrivateHosts,
    ...(reading !== undefined && { reading }),
  });
  await toolMarks.refresh(catalog.providers());
  return { catalog, secrets, toolMarks, endReading: async () => await reading?.processes?.close() };
}

/**
 * A built program caches what it read, reads in separate processes, and has read its own catalog already; sources do
 * none of that.
 */
function openReading({ config, opened }: OpenCatalogParts): CatalogParts["reading"] {
  const { dataDir, program, bundledCatalogDir } = config;
  if (program === undefined) return undefined;
  const cache = opened.use(openProviderFileCache({ dir: join(dataDir, "cache"), build: program.build }));
  const processes = opened.use(openReadingProcesses(program.catalogWorker, availableParallelism() - 1));
  const bundled = bundledCatalogDir === undefined ? undefined : loadBundledReadings(bundledCatalogDir);
  return { cache, processes, bundled };
}
