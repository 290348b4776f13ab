import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createBuiltinProviders } from "../providers/builtin-providers.ts";
import { type Catalog, type CatalogParts, loadCatalog } from "../catalog/catalog.ts";
import { DocumentGrantStore, GrantsDocument } from "../catalog/grants/grants.ts";
import { openProviderFileCache } from "../catalog/reading/provider-file-cache.ts";
import { openReadingProcesses } from "../catalog/reading/reading-processes.ts";
import { createEntryVersions } from "../catalog/editions/entry-versions.ts";
import { ownDeadlineMs } from "../catalog/entries/own-deadline.ts";
import { createSecretStore, type SecretStore } from "../catalog/grants/secret-store.ts";
import { catalogFolders } from "../config/catalog-folders.ts";
import type { Clock } from "../base/clock.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { createCatalogIndex, type CatalogIndex } from "../discovery/index/catalog-index.ts";
import { openIndexFile } from "../discovery/index/index-file.ts";
import { type Indexing, loadIndexing } from "../discovery/index/load-indexing.ts";
import { createThesaurus, type CurrentThesaurus } from "../discovery/thesaurus/compile-thesaurus.ts";
import { expansionsOf } from "../discovery/ranking/query/expansions.ts";
import { createWorkerIndexer } from "../discovery/index/worker-indexer.ts";
import { createControlService, type ControlService } from "../controls/control-service.ts";
import { createDiscovery, type Discovery } from "../discovery/discover.ts";
import { createFirstWorkspace } from "../discovery/health/first-workspace.ts";
import { createHealth, type Health } from "../discovery/health/health.ts";
import { keepHealth } from "../discovery/health/keep-health.ts";
import type { SearchServices } from "../discovery/services/search-services.ts";
import type { Authenticate } from "../http/access.ts";
import type { IdentityService } from "../identity/identity-service.ts";
import type { Logger } from "../base/logger.ts";
import type { JournalStore } from "../storage/journal/journal-store.ts";
import { ScrubDocument, type ScrubFile } from "../storage/journal/scrub-document.ts";
import { type KnownTimeFile, KnownTimeDocument } from "../operator/retention.ts";
import { createSettings, DEFAULT_SETTINGS, SettingsDocument } from "../operator/document-settings-store.ts";
import { openOwnerPrices } from "../config/open-owner-prices.ts";
import { openIdentity } from "./open-identity.ts";
import type { Sealer } from "../http/sealer.ts";
import { openSealer } from "./open-sealer.ts";
import type { SettingsStore } from "../operator/settings-store.ts";
import { lateProvider } from "../providers/late-provider.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import { createRunService, type RunService } from "../runs/run-service.ts";
import { createRenewals, type Renewals } from "../resources/renewals.ts";
import { createResourceService, type ResourceService } from "../resources/resource-service.ts";
import { openDocument } from "../storage/documents/documents.ts";
import { openHealthFile } from "../storage/documents/health-file.ts";
import { openSecretsFile } from "../storage/documents/secrets-file.ts";
import { openVersionFiles } from "../storage/documents/version-files.ts";
import { nodeFiles } from "../storage/files.ts";
import { ensureFolder } from "../storage/journal/data-folder.ts";
import type { Store } from "../storage/store.ts";
import { createUsageService, type UsageService } from "../usage/usage-service.ts";
import { createWalletService, type WalletService } from "../wallet/wallet-service.ts";

/** What the routes speak to. */
export interface Services {
  readonly sealer: Sealer;
  readonly settings: SettingsStore;
  readonly knownTime: KnownTimeFile;
  readonly scrubbed: ScrubFile;
  readonly secrets: SecretStore;
  readonly catalog: Catalog;
  /** The catalog with its search index, for discovery and for browsing. */
  readonly index: CatalogIndex;
  readonly thesaurus: CurrentThesaurus;
  readonly health: Health;
  readonly discovery: Discovery;
  /** What discovery asks beside its own ranking; absent where nothing is set. */
  readonly searchServices?: SearchServices;
  readonly runs: RunService;
  readonly identity: IdentityService;
  readonly authenticate: Authenticate;
  readonly wallet: WalletService;
  readonly usage: UsageService;
  readonly controls: ControlService;
  readonly resources: ResourceService;
  readonly renewals: Renewals;
  /** Loads what calls providers. What fails is told, and loaded with the first call. */
  loadProviders(): Promise<void>;
  /** Ends what reads catalog files; nothing is read after it. */
  endReading(): Promise<void>;
}

export interface ServicesParts {
  readonly config: DaemonConfig;
  readonly shares: Pick<DescriptorShares, "atlas">;
  readonly store: Store & Pick<JournalStore, "lastNumber">;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly opened: OpenParts;
}

/** Reads documents and catalog, and puts the features on top of the store. Starts nothing. */
export async function openServices(parts: ServicesParts): Promise<Services> {
  const { config, store, clock, newId, logger } = parts;
  const docs = await ensureFolder(nodeFiles(), config.dataDir, "docs");
  const onWarning = (message: string) => logger.warn({}, message);
  const changes = await openDocument(`${docs}/settings.json`, SettingsDocument, {}, { onWarning });
  const grants = await openDocument(`${docs}/grants.json`, GrantsDocument, { grants: [] }, { onWarning });
  const knownTime = await openDocument(`${docs}/known-time.json`, KnownTimeDocument, { jumps: [] }, { onWarning });
  const scrubbed = await openDocument(`${docs}/scrub.json`, ScrubDocument, { next: 1, damage: [] }, { onWarning });
  const secrets = createSecretStore(await openSecretsFile(config.configDir), config.environment);
  const reading = openReading(parts);
  const catalog = await loadCatalog({
    folders: await catalogFolders(config),
    grants: new DocumentGrantStore(grants),
    environment: config.environment,
    storedSecrets: secrets,
    ownerPrices: await openOwnerPrices(config.configDir),
    allowPrivateHosts: config.allowPrivateHosts,
    ...(reading !== undefined && { reading }),
  });
  const settings = createSettings(changes, config);

  const health = await openHealth(parts, { catalog, settings });
  const indexing = await loadIndexing();
  const thesaurus = createThesaurus(() => catalog.thesaurus);
  const index = await openIndex(parts, { catalog, indexing });
  const searchServices = await openServicesOfDiscovery(parts);
  const asksServices = searchServices === undefined ? {} : { searchServices };
  const discovery = createDiscovery({
    catalog,
    index,
    health,
    knowledge: { vectors: indexing.vectors, expand: (query) => expansionsOf(query, thesaurus.current()) },
    ...asksServices,
    settings: () => settings.get(),
  });
  parts.opened.use(discovery);
  const unlimited = config.startingCredit === "unlimited";
  const { identity, authenticate } = await openIdentity({ ...parts, docs });
  const provider = openProvider(parts, catalog);
  const renewals = createRenewals({ store, catalog, provider, clock, unlimited, logger });
  return {
    settings,
    sealer: await openSealer(docs, { logger, lastNumber: store.lastNumber }),
    knownTime,
    scrubbed,
    secrets,
    catalog,
    index,
    thesaurus,
    health,
    ...asksServices,
    discovery,
    runs: createRunService({
      catalog,
      versions: createEntryVersions(catalog, openVersionFiles(docs)),
      store,
      provider,
      clock,
      newId,
      unlimited,
      openRunLimits: config.openRunLimits,
      logger,
      onFinished: (run) => health.observe(run),
    }),
    identity,
    authenticate,
    wallet: createWalletService({ store, clock, unlimited }),
    usage: createUsageService(store, identity.ids),
    renewals,
    async loadProviders() {
      await provider
        .load()
        .catch((error: unknown) => logger.warn({ err: error }, "what calls providers was not loaded"));
    },
    async endReading() {
      await reading?.processes?.close();
    },
    resources: createResourceService({ store, catalog, provider, clock, onChanged: () => renewals.wake() }),
    controls: createControlService({ store, clock, newId }),
  };
}

/** Loaded only where something is set: a start needs nothing of it. */
async function openServicesOfDiscovery({
  config: { dataDir, searchServices: settings },
  logger,
  redactor,
  opened,
}: ServicesParts): Promise<SearchServices | undefined> {
  if (settings === undefined) return undefined;
  for (const service of [settings.embeddings, settings.rerank]) {
    if (service?.key !== undefined) redactor.remember(service.key);
  }
  const { openSearchServices } = await import("../discovery/services/open-search-services.ts");
  const honestFloor = DEFAULT_SETTINGS.discoverFloor;
  const dir = join(dataDir, "search-services");
  return opened.use(await openSearchServices({ settings, dir, honestFloor, logger }));
}

/** As it was known when the daemon last ran. */
async function openHealth(
  { config: { dataDir }, store, clock, logger, opened }: ServicesParts,
  { catalog, settings }: Pick<Services, "catalog" | "settings">,
): Promise<Health> {
  const health = createHealth({
    clock,
    settings: () => settings.get().health,
    ownDeadlineMs(provider, endpoint) {
      const entry = catalog.find(provider, endpoint);
      return entry === undefined ? undefined : ownDeadlineMs(entry);
    },
    operatorWorkspace: createFirstWorkspace(store),
  });
  opened.use(await keepHealth({ health, file: openHealthFile(dataDir), store, clock, logger }));
  return health;
}

/** A built program indexes large catalogs in a thread, and keeps their index. */
async function openIndex(
  { config: { dataDir, program }, logger, opened }: ServicesParts,
  { catalog, indexing }: { readonly catalog: Catalog; readonly indexing: Indexing },
): Promise<CatalogIndex> {
  const index = createCatalogIndex({
    entries: () => catalog.entries(),
    indexing: indexing.options,
    ...(program !== undefined && {
      indexer: createWorkerIndexer(program.indexWorker, () => indexing.encodedTable()),
      file: openIndexFile({
        path: join(dataDir, "cache", "search-index.bin"),
        stamp: () => [program.build, indexing.stamp()],
      }),
    }),
    onMergeFailed: (error) => logger.error({ err: error }, "the parts of the search index could not be made one"),
  });
  opened.use(index);
  return index;
}

/** A built program keeps what it read, and has a script for processes that read; sources have neither. */
function openReading({ config: { dataDir, program }, opened }: ServicesParts): CatalogParts["reading"] {
  if (program === undefined) return undefined;
  const cache = opened.use(openProviderFileCache({ dir: join(dataDir, "cache"), build: program.build }));
  const processes = opened.use(openReadingProcesses(program.catalogWorker, availableParallelism() - 1));
  return { cache, processes };
}

function openProvider({ config, shares, clock, redactor, opened }: ServicesParts, catalog: Catalog) {
  const builtins = opened.use(createBuiltinProviders({ maxConnections: shares.atlas }));
  const provider = lateProvider(async () => {
    const { createHttpProvider } = await import("../providers/http-provider.ts");
    return createHttpProvider({
      secretsOf: (version) => catalog.resolveSecrets(version),
      builtinOrigin: (name) => builtins.origin(name),
      allowPrivateHosts: new Set(config.allowPrivateHosts),
      privateHostsGranted: (version) => catalog.grantedPrivateHosts(version),
      redactor,
      clock,
    });
  });
  opened.use(provider);
  return provider;
}
