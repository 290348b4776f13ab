import { markLocalDaemonStopped } from "../shared/local-daemon-file.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { type Clock, isoNow, systemClock } from "./base/clock.ts";
import { OpenParts } from "./base/open-parts.ts";
import type { StorageFailed } from "./ledger/transaction/commit-errors.ts";
import type { ServiceMetrics } from "./metrics/service-metrics.ts";
import { checkConfigFolder } from "./config/check-config-folder.ts";
import type { DaemonConfig } from "./config/daemon-config.ts";
import { serviceStatus } from "./http/routes/health-route.ts";
import { createIdempotency } from "./idempotency/idempotency.ts";
import { keepCatalogFresh } from "./start/keep-catalog-fresh.ts";
import type { Logger } from "./base/logger.ts";
import { createIdSource } from "./base/new-id.ts";
import { openMetrics, serveMetrics } from "./start/open-metrics.ts";
import { openServers, type Servers } from "./start/open-servers.ts";
import { startRetention } from "./operator/retention.ts";
import { openOwnerAccess } from "./start/open-owner-access.ts";
import { createRedactor } from "./redaction/redact.ts";
import { changeOfAnswer } from "./console/events/change-of-answer.ts";
import { serviceRoutes } from "./start/service-routes.ts";
import { createAnswerOfRun } from "./runs/answer-of-run.ts";
import { openServices, type Services, type ServicesParts } from "./start/open-services.ts";
import { hearOthers, seeingOthers, whenLeading } from "./start/among-daemons.ts";
import type { OpenStoreParts } from "./start/opened-store.ts";
import { openTraces } from "./start/open-traces.ts";
import { openStore } from "./start/open-store.ts";
import { createLoadGuard, type LoadGuard } from "./http/limits/load-guard.ts";
import { type DescriptorShares, readDescriptorLimit, shareDescriptors } from "./config/share-descriptors.ts";
import { sweepLeftFiles } from "./start/sweep-left-files.ts";
import { startScrub } from "./start/start-scrub.ts";
import { watchCatalogs } from "./start/watch-catalogs.ts";
import { watchInstalled } from "./start/watch-installed.ts";

/** Time for calls in flight to end when the daemon stops; the whole shutdown has ten seconds. */
export const RUN_GRACE_MS = 6_000;
/** Time for callers to read the answer that nothing more can be recorded. */
const ABANDON_MS = 300;

/** What a daemon reports when it listens. */
export interface DaemonReady {
  readonly url: string;
  readonly registryUrl: string;
  /** Of the metrics, where they are served. */
  readonly metricsUrl?: string;
  readonly pid: number;
  readonly version: string;
  readonly dataDir: string;
  /** Endpoints that are enabled. */
  readonly endpoints: number;
  /** Catalog files that could not be used, one line each. */
  readonly problems: readonly string[];
}

export interface Daemon extends AsyncDisposable {
  readonly ready: DaemonReady;
  /** Drains: accepts no new work, lets calls in flight end or records them, releases the data folder. Call it once. */
  close(): Promise<void>;
  /** After a disk failure: only lets callers read that they were refused. The process ends then. */
  abandon(): Promise<void>;
}

export interface DaemonSurroundings {
  /** `redact` removes every loaded secret, and its encoded forms, from a line. */
  readonly createLogger: (redact: (line: string) => string) => Logger;
  /** Called when the disk failed or the lock was lost: nothing is acknowledged any more, and the process must end. */
  readonly onFatal: (error: StorageFailed) => void;
  readonly clock?: Clock;
  /** Checks every answer against the contract: for tests. */
  readonly validateResponses?: boolean;
  /** Refuses work under overload; a test that itself makes the machine slow passes one that does not. */
  readonly load?: LoadGuard;
}

/**
 * Builds and starts the whole service: storage, catalog, open runs, HTTP. Rejects as its parts do (`toDaemonExit` maps
 * that to exit codes), after closing the parts that were opened.
 */
export async function startDaemon(config: DaemonConfig, surroundings: DaemonSurroundings): Promise<Daemon> {
  const opened = new OpenParts();
  try {
    return await start(config, surroundings, opened);
  } catch (error) {
    // Report why it could not start, not an error of the clean-up.
    await opened[Symbol.asyncDispose]().catch(() => {});
    throw error;
  }
}

async function start(config: DaemonConfig, surroundings: DaemonSurroundings, opened: OpenParts): Promise<Daemon> {
  const base = await openBase(config, surroundings, opened);
  const services = await openServices(base);
  base.know(services.catalog);
  const work: Work = { ...base, services };
  const drainRuns = await takeUpWork(work);
  const { servers, metricsUrl, draining } = await serve(work, surroundings);
  base.isServedAt(servers.url);
  await goToWork(work, servers);

  async function close(): Promise<void> {
    draining.begin();
    services.events.close();
    await services.scheduleDriver.close();
    // Writes held by a full disk must not delay the end: they fail, and the exit code says so.
    const graceOver = setTimeout(() => base.store.endWaits(), RUN_GRACE_MS);
    // Runs first, while the server still answers: callers who wait for a sync run get its answer.
    await drainRuns().finally(() => clearTimeout(graceOver));
    await opened[Symbol.asyncDispose]();
  }
  return {
    ready: { ...describeReady(config, services.catalog, servers), ...(metricsUrl !== undefined && { metricsUrl }) },
    close,
    [Symbol.asyncDispose]: close,
    abandon: () => servers.close({ timeoutMs: ABANDON_MS }),
  };
}

/** What everything else stands on. */
interface Base extends ServicesParts {
  readonly shares: DescriptorShares;
  readonly metrics: ServiceMetrics | undefined;
  /** Its secrets are kept out of the log from now on. */
  know(catalog: Catalog): void;
  isServedAt(url: string): void;
}

/** With what runs on it. */
interface Work extends Base {
  readonly services: Services;
}

/** Opens the log, the figures and the store, in this order. */
async function openBase(config: DaemonConfig, surroundings: DaemonSurroundings, opened: OpenParts): Promise<Base> {
  const { clock = systemClock } = surroundings;
  let loaded: Catalog | undefined;
  let serviceUrl: string | undefined;
  const ofDatabase = secretsOfDatabase(config);
  const redactor = createRedactor(() => [...ofDatabase, ...(loaded?.allSecretValues() ?? [])]);
  const logger = surroundings.createLogger((line) => redactor.text(line));
  const newId = createIdSource();
  const shares = shareDescriptors(readDescriptorLimit(), config.maxConnections);

  await checkConfigFolder(config.configDir);
  const metrics = await openMetrics(config);
  const traced = await openTraces(config, opened);

  const { store, documents } = await openStore({
    config,
    shares,
    logger,
    metrics,
    onCommitted: toEach(
      metrics && ((lines, ms) => metrics.committed(lines, ms)),
      traced && ((lines, ms) => traced.traces.committed(lines, ms)),
    ),
    opened,
    onFatal: surroundings.onFatal,
  });
  await sweepLeftFiles(config, logger);
  return {
    config,
    shares,
    store,
    documents,
    clock,
    newId,
    logger,
    redactor,
    opened,
    metrics,
    traced,
    serviceUrl: () => serviceUrl,
    know(catalog) {
      loaded = catalog;
    },
    isServedAt(url) {
      serviceUrl = url;
    },
  };
}

/**
 * Goes on with what an earlier process left: runs, then rents, outages and deliveries. Returns what ends the runs. Before the
 * first request: a run that a caller starts must not be taken for one left open by an earlier process.
 */
async function takeUpWork(work: Work): Promise<() => Promise<void>> {
  const { store, config, clock, logger, opened, metrics, services } = work;
  const { runs } = services;
  const { cluster } = store;
  // Among several daemons it takes over what nobody drives any more, and counts that then.
  if (cluster === undefined) metrics?.startWith(await store.listOpenRuns());
  await runs.recover();
  const drainRuns = () => runs.close({ graceMs: RUN_GRACE_MS });
  opened.defer(drainRuns);
  await whenLeading(cluster, async () => {
    opened.use(startRetention({ store, days: config.retentionDays, document: services.knownTime, clock, logger }));
    services.renewals.start();
  });
  opened.use(services.renewals);
  await services.outages.start();
  opened.use(services.outages);
  opened.defer(async () => services.events.close());
  await whenLeading(cluster, async () => await services.deliveries.start());
  opened.use(services.deliveries);
  hearOthers(cluster, services);
  return drainRuns;
}

/** From now on callers are answered. */
async function serve(work: Work, surroundings: DaemonSurroundings) {
  const { config, shares, store, clock, logger, opened, metrics, services } = work;
  const { catalog, runs } = services;
  const { validateResponses = false } = surroundings;
  const scrub = startScrub(config, { store, document: services.scrubbed, clock, logger });
  let isDraining = false;
  const servers = await openServers(config, opened, {
    shares,
    routes: serviceRoutes(services, {
      version: config.version,
      clock,
      store,
      console: config.console,
      bundledDir: config.bundledCatalogDir,
      draining: () => isDraining,
      hasRoom: () => store.hasRoom(),
      awaySince: () => store.awaySince?.(),
      damagedPlaces: () => scrub.damage().length,
      backups: store,
      replacedBy: watchInstalled(config, logger),
    }),
    pages: services.consolePages,
    authenticate: seeingOthers(services.authenticate, store),
    recognize: store.refresh === undefined ? undefined : services.authenticate,
    // Where other daemons write, only asking them tells.
    identityRevision: store.refresh === undefined ? () => store.identityRevision() : undefined,
    clock,
    status: () => serviceStatus(isDraining),
    idempotency: createIdempotency({ store, answerOfRun: createAnswerOfRun({ runs, clock }) }),
    logger,
    validateResponses,
    load: surroundings.load ?? createLoadGuard(),
    onAnswered(answer) {
      metrics?.answered(answer);
      const change = changeOfAnswer(answer, isoNow(clock));
      if (change !== undefined) services.events.tell(change);
    },
  });
  const metricsUrl = await serveMetrics(config, opened, metrics, {
    hasRoom: () => store.hasRoom(),
    endpoints: () => catalog.entries().length,
    damagedPlaces: () => scrub.damage().length,
  });
  const draining = {
    begin() {
      isDraining = true;
    },
  };
  return { servers, metricsUrl, draining };
}

/**
 * Begins what nobody asked for: schedules, and following the catalog. Requests are answered already; the providers are loaded
 * before the daemon reports that it is ready, so that the first run need not wait.
 */
async function goToWork(work: Work, servers: Servers): Promise<void> {
  const { store, config, clock, newId, logger, opened, metrics, services } = work;
  const { catalog, scheduleDriver } = services;
  const { cluster } = store;
  await services.loadProviders();
  await openOwnerAccess({ store, config, clock, newId, logger }, servers);
  opened.use(scheduleDriver);
  await whenLeading(cluster, async () => await scheduleDriver.start());
  if (cluster !== undefined) {
    const catalogs = watchCatalogs({ cluster, catalog, logger });
    opened.defer(() => catalogs.close());
    metrics?.watchCatalogs(() => catalogs.differing());
  }
  const tellCatalog = () => services.events.tell({ type: "catalog", data: { kind: "changed", at: isoNow(clock) } });
  opened.use(keepCatalogFresh({ ...services, logger, onChanged: tellCatalog }));
  opened.defer(() => markLocalDaemonStopped(config.configDir, config.dataDir, { pid: process.pid, at: isoNow(clock) }));
}

type OnCommitted = NonNullable<OpenStoreParts["onCommitted"]>;

/** Undefined when nobody listens. */
function toEach(...given: readonly (OnCommitted | undefined)[]): OnCommitted | undefined {
  const listeners = given.filter((one) => one !== undefined);
  if (listeners.length === 0) return undefined;
  return (lines, ms) => {
    for (const listener of listeners) listener(lines, ms);
  };
}

/** What the settings of a database contain that nobody may read. */
function secretsOfDatabase({ database }: DaemonConfig): readonly string[] {
  if (database === undefined) return [];
  const { url, sealingKey } = database;
  const key = sealingKey !== undefined && "hex" in sealingKey ? sealingKey.hex : undefined;
  return [url.password, key].filter((secret) => secret !== undefined);
}

function describeReady(
  { version, dataDir }: DaemonConfig,
  catalog: Catalog,
  { url, registryUrl }: { readonly url: string; readonly registryUrl: string },
): DaemonReady {
  const problems = catalog.problems().map(({ file, path, message }) => `${file} ${path}: ${message}`);
  return { url, registryUrl, pid: process.pid, version, dataDir, endpoints: catalog.entries().length, problems };
}
