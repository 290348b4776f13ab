import { markLocalDaemonStopped } from "../shared/local-daemon-file.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { type Clock, isoNow, systemClock } from "./base/clock.ts";
import { OpenParts } from "./base/open-parts.ts";
import type { StorageFailed } from "./ledger/commit-errors.ts";
import { checkConfigFolder } from "./config/check-config-folder.ts";
import type { DaemonConfig } from "./config/daemon-config.ts";
import type { Authenticate } from "./http/access.ts";
import { serviceStatus } from "./http/health-route.ts";
import { createIdempotency } from "./idempotency/idempotency.ts";
import { keepCatalogFresh } from "./start/keep-catalog-fresh.ts";
import type { Logger } from "./base/logger.ts";
import { createIdSource } from "./base/new-id.ts";
import { openMetrics, serveMetrics } from "./start/open-metrics.ts";
import { openServers } from "./start/open-servers.ts";
import { startRetention } from "./operator/retention.ts";
import { openOwnerAccess } from "./start/open-owner-access.ts";
import { createRedactor } from "./redaction/redact.ts";
import { changeOfAnswer } from "./console/events/change-of-answer.ts";
import { serviceRoutes } from "./start/service-routes.ts";
import { createAnswerOfRun } from "./runs/answer-of-run.ts";
import { openServices } from "./start/open-services.ts";
import { hearOthers, whenLeading } from "./start/among-daemons.ts";
import type { OpenStoreParts } from "./start/opened-store.ts";
import { openTraces } from "./start/open-traces.ts";
import { openStore } from "./start/open-store.ts";
import { createLoadGuard, type LoadGuard } from "./http/load-guard.ts";
import { readDescriptorLimit, shareDescriptors } from "./config/share-descriptors.ts";
import { sweepLeftFiles } from "./start/sweep-left-files.ts";
import { watchCatalogs } from "./start/watch-catalogs.ts";
import type { ScrubFile } from "./storage/journal/scrub-document.ts";
import type { Scrubbing } from "./storage/journal/scrub.ts";
import type { DaemonStore } from "./storage/daemon-store.ts";

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
  const { clock = systemClock, validateResponses = false } = surroundings;
  let loaded: Catalog | undefined;
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
  let serviceUrl: string | undefined;
  const services = await openServices({
    config,
    shares,
    store,
    documents,
    clock,
    newId,
    logger,
    redactor,
    opened,
    traced,
    serviceUrl: () => serviceUrl,
  });
  const { catalog, runs } = services;
  loaded = catalog;

  // Before the first request: a run that a caller starts must not be taken for one left open by an earlier process.
  // Among several daemons it takes over what nobody drives any more, and counts that then.
  if (store.cluster === undefined) metrics?.startWith(await store.listOpenRuns());
  await runs.recover();
  const drainRuns = () => runs.close({ graceMs: RUN_GRACE_MS });
  opened.defer(drainRuns);
  const { cluster } = store;
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

  const scrub = startScrub(config, { store, document: services.scrubbed, clock, logger });
  let draining = false;
  const servers = await openServers(config, opened, {
    shares,
    routes: serviceRoutes(services, {
      version: config.version,
      clock,
      store,
      console: config.console,
      bundledDir: config.bundledCatalogDir,
      draining: () => draining,
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
    status: () => serviceStatus(draining),
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
  serviceUrl = servers.url;
  // Requests are answered already. Load this before the daemon reports that it is ready, so that the first run need not
  // wait.
  await services.loadProviders();
  await openOwnerAccess({ store, config, clock, newId, logger }, servers);
  opened.use(services.scheduleDriver);
  await whenLeading(cluster, async () => await services.scheduleDriver.start());
  if (cluster !== undefined) {
    const catalogs = watchCatalogs({ cluster, catalog, logger });
    opened.defer(() => catalogs.close());
    metrics?.watchCatalogs(() => catalogs.differing());
  }
  const tellCatalog = () => services.events.tell({ type: "catalog", data: { kind: "changed", at: isoNow(clock) } });
  opened.use(keepCatalogFresh({ ...services, logger, onChanged: tellCatalog }));
  opened.defer(() => markLocalDaemonStopped(config.configDir, config.dataDir, { pid: process.pid, at: isoNow(clock) }));

  async function close(): Promise<void> {
    draining = true;
    services.events.close();
    await services.scheduleDriver.close();
    // Writes held by a full disk must not delay the end: they fail, and the exit code says so.
    const graceOver = setTimeout(() => store.endWaits(), RUN_GRACE_MS);
    // Runs first, while the server still answers: callers who wait for a sync run get its answer.
    await drainRuns().finally(() => clearTimeout(graceOver));
    await opened[Symbol.asyncDispose]();
  }
  return {
    ready: { ...describeReady(config, catalog, servers), ...(metricsUrl !== undefined && { metricsUrl }) },
    close,
    [Symbol.asyncDispose]: close,
    abandon: () => servers.close({ timeoutMs: ABANDON_MS }),
  };
}

/** Where other daemons write too: a key that one of them revoked is refused here, and a run that it began is found. */
function seeingOthers(authenticate: Authenticate, { refresh }: DaemonStore): Authenticate {
  if (refresh === undefined) return authenticate;
  return async (credentials) => {
    await refresh();
    return await authenticate(credentials);
  };
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

/** Returns the version installed on the disk if it is not the running one; logs that once. */
function watchInstalled({ program }: DaemonConfig, logger: Logger): () => Promise<string | undefined> {
  let isTold = false;
  return async () => {
    const installed = await program?.installed();
    if (installed === undefined || installed.build === program?.build) return undefined;
    if (!isTold) logger.warn({ installed }, "another build was installed; restart the daemon to run it");
    isTold = true;
    return installed.version;
  };
}

/** What the settings of a database contain that nobody may read. */
function secretsOfDatabase({ database }: DaemonConfig): readonly string[] {
  if (database === undefined) return [];
  const { url, sealingKey } = database;
  const key = sealingKey !== undefined && "hex" in sealingKey ? sealingKey.hex : undefined;
  return [url.password, key].filter((secret) => secret !== undefined);
}

/** With a rate of 0 the scrub reads nothing, but still reports known damage. */
function startScrub(
  { scrubBytesPerSecond, dataDir }: DaemonConfig,
  { store, document, clock, logger }: { store: DaemonStore; document: ScrubFile; clock: Clock; logger: Logger },
): Pick<Scrubbing, "damage"> {
  if (scrubBytesPerSecond === 0 || store.startScrub === undefined) return { damage: () => document.data.damage };
  return store.startScrub({
    document,
    bytesPerSecond: scrubBytesPerSecond,
    clock,
    onDamage: (damage) => logger.error({ dataDir, ...damage }, "stored data is damaged; restore it from a backup"),
    onMended: (damage) => logger.warn({ dataDir, ...damage }, "an index was damaged and has been rebuilt"),
    onProblem: (error) => logger.warn({ err: error }, "the background check for damage failed; it is retried"),
  });
}

function describeReady(
  { version, dataDir }: DaemonConfig,
  catalog: Catalog,
  { url, registryUrl }: { readonly url: string; readonly registryUrl: string },
): DaemonReady {
  const problems = catalog.problems().map(({ file, path, message }) => `${file} ${path}: ${message}`);
  return { url, registryUrl, pid: process.pid, version, dataDir, endpoints: catalog.entries().length, problems };
}
