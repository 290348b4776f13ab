import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { dayNumber } from "../catalog/entries/covered-days.ts";
import { ownDeadlineMs } from "../catalog/entries/own-deadline.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { createDiscovery, type Discovery } from "../discovery/discover.ts";
import type { AccountSource } from "../discovery/fill-pool.ts";
import { createFirstWorkspace } from "../discovery/health/first-workspace.ts";
import { createHealth, type Health } from "../discovery/health/health.ts";
import { keepHealth } from "../discovery/health/keep-health.ts";
import { type KeptUses, keepUses } from "../discovery/use/keep-uses.ts";
import { openBundledIndex } from "../discovery/index/bundled-index.ts";
import { type SharedUses, shareUses } from "../discovery/use/share-uses.ts";
import { createCatalogIndex, type CatalogIndex } from "../discovery/index/catalog-index.ts";
import { openIndexFile } from "../discovery/index/index-file.ts";
import { type Indexing, loadIndexing } from "../discovery/index/load-indexing.ts";
import { createWorkerIndexer } from "../discovery/index/worker-indexer.ts";
import { expansionsOf } from "../discovery/ranking/query/expansions.ts";
import type { SearchServices } from "../discovery/services/search-services.ts";
import { createThesaurus, type CurrentThesaurus } from "../discovery/thesaurus/compile-thesaurus.ts";
import { DEFAULT_SETTINGS } from "../operator/document-settings-store.ts";
import type { SettingsStore } from "../operator/settings-store.ts";
import type { Redactor } from "../redaction/redact.ts";
import { openHealthFile } from "../storage/documents/health-file.ts";
import { openUseFile } from "../storage/documents/use-file.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import type { Store } from "../storage/store.ts";

export interface OpenDiscoveryParts {
  readonly config: Pick<
    DaemonConfig,
    "dataDir" | "program" | "bundledCatalogDir" | "searchServices" | "discoverLearning"
  >;
  readonly store: Store & Pick<DaemonStore, "cluster">;
  /** Absent: what is learned from use is kept in a file. */
  readonly sharedUses: SharedUses | undefined;
  readonly catalog: Catalog;
  readonly accounts: AccountSource;
  readonly settings: SettingsStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly opened: OpenParts;
}

export interface OpenDiscovery {
  readonly discovery: Discovery;
  /** The catalog with its search index, for discovery and for browsing. */
  readonly index: CatalogIndex;
  readonly thesaurus: CurrentThesaurus;
  readonly health: Health;
  /** What was learned from use. */
  readonly uses: KeptUses;
  /** Services that discovery calls besides its own ranking; absent if none is configured. */
  readonly searchServices?: SearchServices;
}

/** Opens discovery with all that it needs: index, thesaurus, health and the configured services. */
export async function openDiscovery(parts: OpenDiscoveryParts): Promise<OpenDiscovery> {
  const { catalog, accounts, settings, clock, opened } = parts;
  const health = await openHealth(parts);
  const uses = await openUses(parts);
  const indexing = await loadIndexing();
  const thesaurus = createThesaurus(() => catalog.thesaurus);
  const index = await openIndex(parts, indexing);
  const searchServices = await openConfiguredServices(parts);
  const asked = searchServices === undefined ? {} : { searchServices };
  const discovery = createDiscovery({
    catalog,
    accounts,
    index,
    health,
    knowledge: {
      vectors: indexing.vectors,
      expand: (query) => expansionsOf(query, thesaurus.current()),
      today: () => dayNumber(clock.now()),
    },
    ...asked,
    ...(uses.learning !== undefined && { learning: uses.learning }),
    settings: () => settings.get(),
  });
  return { discovery: opened.use(discovery), index, thesaurus, health, uses, ...asked };
}

/** The health that was known when the daemon last ran. */
async function openHealth(parts: OpenDiscoveryParts): Promise<Health> {
  const { config, store, catalog, settings, clock, logger, opened } = parts;
  const health = createHealth({
    clock,
    settings: () => settings.get().health,
    ownDeadlineMs(provider, endpoint) {
      const entry = catalog.find(provider, endpoint);
      return entry === undefined ? undefined : ownDeadlineMs(entry);
    },
    operatorWorkspace: createFirstWorkspace(store),
  });
  const file = openHealthFile(config.dataDir);
  opened.use(await keepHealth({ health, file, store, clock, logger, isShared: store.cluster !== undefined }));
  return health;
}

async function openUses(parts: OpenDiscoveryParts): Promise<KeptUses> {
  const { config, store, sharedUses: shared, clock, logger, opened } = parts;
  const file = openUseFile(config.dataDir);
  const isOn = config.discoverLearning;
  if (shared === undefined) return opened.use(await keepUses({ isOn, file, store, clock, logger }));
  return opened.use(await shareUses({ isOn, shared, earlier: file, clock, logger }));
}

/** A built program has the index of its own catalog, indexes large ones in a thread and caches their index. */
async function openIndex(parts: OpenDiscoveryParts, indexing: Indexing): Promise<CatalogIndex> {
  const { catalog, logger, opened } = parts;
  const { dataDir, program, bundledCatalogDir } = parts.config;
  const isBundled = program !== undefined && bundledCatalogDir !== undefined;
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
    ...(isBundled && { prepared: await openBundledIndex(bundledCatalogDir).load() }),
    onMergeFailed: (error) => logger.error({ err: error }, "the shards of the search index could not be merged"),
  });
  return opened.use(index);
}

/** Loaded only if a service is configured, to keep the start short. */
async function openConfiguredServices(parts: OpenDiscoveryParts): Promise<SearchServices | undefined> {
  const { config, logger, redactor, opened } = parts;
  const settings = config.searchServices;
  if (settings === undefined) return undefined;
  for (const service of [settings.embeddings, settings.rerank, settings.rephrase]) {
    if (service?.key !== undefined) redactor.remember(service.key);
  }
  const { openSearchServices } = await import("../discovery/services/open-search-services.ts");
  const honestFloor = DEFAULT_SETTINGS.discoverFloor;
  const dir = join(config.dataDir, "search-services");
  return opened.use(await openSearchServices({ settings, dir, honestFloor, logger }));
}
