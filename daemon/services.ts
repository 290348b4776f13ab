import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createBuiltinProviders } from "./builtin-providers.ts";
import { type Catalog, type CatalogParts, loadCatalog } from "./catalog/catalog.ts";
import { DocumentGrantStore, GrantsDocument } from "./catalog/grants.ts";
import { openProviderFileCache } from "./catalog/provider-file-cache.ts";
import { openReadingThreads } from "./catalog/reading-threads.ts";
import { createEntryVersions } from "./catalog/entry-versions.ts";
import { createSecretStore, type SecretStore } from "./catalog/secret-store.ts";
import { catalogFolders } from "./catalog-folders.ts";
import type { Clock } from "./clock.ts";
import type { Closers } from "./closers.ts";
import type { DaemonConfig } from "./config.ts";
import { createCatalogIndex, type CatalogIndex } from "./discovery/catalog-index.ts";
import { createControlService, type ControlService } from "./controls/control-service.ts";
import { createDiscovery, type Discovery } from "./discovery/discover.ts";
import { createHealth, type Health } from "./discovery/health.ts";
import type { Authenticate } from "./http/access.ts";
import type { IdentityService } from "./identity/identity-service.ts";
import type { Logger } from "./logger.ts";
import { createSettings, SettingsDocument } from "./operator/document-settings-store.ts";
import { openIdentity } from "./open-identity.ts";
import type { SettingsStore } from "./operator/settings-store.ts";
import { lateProvider } from "./providers/late-provider.ts";
import type { Redactor } from "./providers/redact.ts";
import { createRunService, type RunService } from "./runs/run-service.ts";
import { createRenewals, type Renewals } from "./resources/renewals.ts";
import { createResourceService, type ResourceService } from "./resources/resource-service.ts";
import { openDocument } from "./storage/documents/documents.ts";
import { openSecretsFile } from "./storage/documents/secrets-file.ts";
import { openVersionFiles } from "./storage/documents/version-files.ts";
import { nodeFiles } from "./storage/files.ts";
import { ensureFolder } from "./storage/journal/data-folder.ts";
import type { Store } from "./storage/store.ts";
import { createUsageService, type UsageService } from "./usage/usage-service.ts";
import { createWalletService, type WalletService } from "./wallet/wallet-service.ts";

/** What the routes speak to. */
export interface Services {
  readonly settings: SettingsStore;
  readonly secrets: SecretStore;
  readonly catalog: Catalog;
  /** The catalog with its search index, for discovery and for browsing. */
  readonly index: CatalogIndex;
  readonly health: Health;
  readonly discovery: Discovery;
  readonly runs: RunService;
  readonly identity: IdentityService;
  readonly authenticate: Authenticate;
  readonly wallet: WalletService;
  readonly usage: UsageService;
  readonly controls: ControlService;
  readonly resources: ResourceService;
  readonly renewals: Renewals;
}

export interface ServicesParts {
  readonly config: DaemonConfig;
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly closers: Closers;
}

/** Reads documents and catalog, and puts the features on top of the store. Starts nothing. */
export async function openServices(parts: ServicesParts): Promise<Services> {
  const { config, store, clock, newId, logger } = parts;
  const docs = await ensureFolder(nodeFiles(), config.dataDir, "docs");
  const onWarning = (message: string) => logger.warn({}, message);
  const changes = await openDocument(`${docs}/settings.json`, SettingsDocument, {}, { onWarning });
  const grants = await openDocument(`${docs}/grants.json`, GrantsDocument, { grants: [] }, { onWarning });
  const secrets = createSecretStore(await openSecretsFile(config.configDir), config.environment);
  const reading = openReading(parts);
  const catalog = await loadCatalog({
    folders: await catalogFolders(config),
    grants: new DocumentGrantStore(grants),
    environment: config.environment,
    storedSecrets: secrets,
    allowPrivateHosts: config.allowPrivateHosts,
    ...(reading !== undefined && { reading }),
  });
  const settings = createSettings(changes, config);

  const health = createHealth({ clock });
  const index = createCatalogIndex(() => catalog.entries());
  const unlimited = config.startingCredit === "unlimited";
  const { identity, authenticate } = await openIdentity({ ...parts, docs });
  const provider = openProvider(parts, catalog);
  const renewals = createRenewals({ store, catalog, provider, clock, unlimited, logger });
  return {
    settings,
    secrets,
    catalog,
    index,
    health,
    discovery: createDiscovery({ catalog, index, health, settings: () => settings.get() }),
    runs: createRunService({
      catalog,
      versions: createEntryVersions(catalog, openVersionFiles(docs)),
      store,
      provider,
      clock,
      newId,
      unlimited,
      logger,
      onFinished: (run) => health.observe(run),
    }),
    identity,
    authenticate,
    wallet: createWalletService({ store, clock, unlimited }),
    usage: createUsageService(store),
    renewals,
    resources: createResourceService({ store, catalog, provider, clock, onChanged: () => renewals.wake() }),
    controls: createControlService({ store, clock, newId }),
  };
}

/** A built program keeps what it read, and has a script for threads; sources have neither. */
function openReading({ config: { dataDir, program }, closers }: ServicesParts): CatalogParts["reading"] {
  if (program === undefined) return undefined;
  const cache = openProviderFileCache({ dir: join(dataDir, "cache"), build: program.build });
  closers.add(() => cache.close());
  return { cache, threads: openReadingThreads(program.catalogWorker, Math.max(1, availableParallelism() - 1)) };
}

function openProvider({ config, clock, redactor, closers }: ServicesParts, catalog: Catalog) {
  const builtins = createBuiltinProviders();
  closers.add(() => builtins.close());
  const provider = lateProvider(async () => {
    const { createHttpProvider } = await import("./providers/http-provider.ts");
    return createHttpProvider({
      secretsOf: (version) => catalog.resolveSecrets(version),
      builtinOrigin: (name) => builtins.origin(name),
      allowPrivateHosts: new Set(config.allowPrivateHosts),
      privateHostsGranted: (version) => catalog.grantedPrivateHosts(version),
      redactor,
      clock,
    });
  });
  closers.add(() => provider.close());
  return provider;
}
