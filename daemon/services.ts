import { createBuiltinProviders } from "./builtin-providers.ts";
import { type Catalog, loadCatalog } from "./catalog/catalog.ts";
import { DocumentGrantStore, GrantsDocument } from "./catalog/grants.ts";
import { catalogFolders } from "./catalog-folders.ts";
import type { Clock } from "./clock.ts";
import type { Closers } from "./closers.ts";
import type { DaemonConfig } from "./config.ts";
import { createCatalogIndex, type IndexedCatalog } from "./discovery/catalog-index.ts";
import { createDiscovery, type Discovery } from "./discovery/discover.ts";
import { createHealth, type Health } from "./discovery/health.ts";
import { createIdentityService, type IdentityService } from "./identity/identity-service.ts";
import type { Logger } from "./logger.ts";
import { createSettings, SettingsDocument } from "./operator/document-settings-store.ts";
import type { SettingsStore } from "./operator/settings-store.ts";
import { createHttpProvider } from "./providers/http-provider.ts";
import type { Redactor } from "./providers/redact.ts";
import { createRunService, type RunService } from "./runs/run-service.ts";
import { openDocument } from "./storage/documents/documents.ts";
import { nodeFiles } from "./storage/files.ts";
import { ensureFolder } from "./storage/journal/data-folder.ts";
import type { Store } from "./storage/store.ts";
import { createWalletService, type WalletService } from "./wallet/wallet-service.ts";

/** What the routes speak to. */
export interface Services {
  readonly settings: SettingsStore;
  readonly catalog: Catalog;
  /** The catalogue with its search index, for discovery and for browsing. */
  readonly index: () => IndexedCatalog;
  readonly health: Health;
  readonly discovery: Discovery;
  readonly runs: RunService;
  readonly identity: IdentityService;
  readonly wallet: WalletService;
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

/** Reads documents and catalogue, and puts the features on top of the store. Starts nothing. */
export async function openServices(parts: ServicesParts): Promise<Services> {
  const { config, store, clock, newId, logger } = parts;
  const docs = await ensureFolder(nodeFiles(), config.dataDir, "docs");
  const onWarning = (message: string) => logger.warn({}, message);
  const changes = await openDocument(`${docs}/settings.json`, SettingsDocument, {}, { onWarning });
  const grants = await openDocument(`${docs}/grants.json`, GrantsDocument, { grants: [] }, { onWarning });
  const catalog = await loadCatalog({
    folders: await catalogFolders(config),
    grants: new DocumentGrantStore(grants),
    environment: config.environment,
    allowPrivateHosts: config.allowPrivateHosts,
  });
  const settings = createSettings(changes, config);
  for (const problem of catalog.problems()) logger.warn({ problem }, "a catalogue file cannot be used");

  const health = createHealth({ clock });
  const index = createCatalogIndex(() => catalog.entries());
  const unlimited = config.startingCredit === "unlimited";
  return {
    settings,
    catalog,
    index,
    health,
    discovery: createDiscovery({ catalog, index, health, settings: () => settings.get() }),
    runs: createRunService({
      catalog,
      store,
      provider: openProvider(parts, catalog),
      clock,
      newId,
      unlimited,
      logger,
      onFinished: (run) => health.observe(run),
    }),
    identity: createIdentityService({ store, clock, newId }),
    wallet: createWalletService({ store, clock, unlimited }),
  };
}

function openProvider({ config, clock, redactor, closers }: ServicesParts, catalog: Catalog) {
  const builtins = createBuiltinProviders();
  closers.add(() => builtins.close());
  const provider = createHttpProvider({
    secretsOf: (slug) => catalog.resolveSecrets(slug),
    builtinOrigin: (name) => builtins.origin(name),
    allowPrivateHosts: new Set(config.allowPrivateHosts),
    privateHostsGranted: (slug) => catalog.grantedPrivateHosts(slug),
    redactor,
    clock,
  });
  closers.add(() => provider.close());
  return provider;
}
