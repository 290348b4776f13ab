import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { openOwnerAccess } from "./owner-access.ts";
import { createBuiltinProviders } from "./builtin-providers.ts";
import { type Catalog, loadCatalog } from "./catalog/catalog.ts";
import { catalogRoutes } from "./catalog/routes.ts";
import { DocumentGrantStore, GrantsDocument } from "./catalog/grants.ts";
import { type Clock, systemClock } from "./clock.ts";
import { ConfigRefused, type DaemonConfig } from "./config.ts";
import { createDiscovery } from "./discovery/discover.ts";
import { createHealth } from "./discovery/health.ts";
import { discoveryRoutes } from "./discovery/routes.ts";
import { healthRoute } from "./http/health-route.ts";
import { openApiRoute } from "./http/openapi-route.ts";
import { createHttpServer, type HttpServer } from "./http/server.ts";
import { createAuthenticate } from "./identity/authenticate.ts";
import { createIdentityService } from "./identity/identity-service.ts";
import { identityRoutes } from "./identity/routes.ts";
import { createIdSource } from "./new-id.ts";
import { adminRoutes } from "./operator/admin-routes.ts";
import { createSettingsStore, SettingsDocument } from "./operator/document-settings-store.ts";
import { createHttpProvider } from "./providers/http-provider.ts";
import { createRedactor } from "./providers/redact.ts";
import { registryRoutes } from "./registry/routes.ts";
import { resourceRoutes } from "./resources/routes.ts";
import { runRoutes } from "./runs/routes.ts";
import { createRunService } from "./runs/run-service.ts";
import { nodeFiles } from "./storage/files.ts";
import { openDocument } from "./storage/documents/documents.ts";
import { ensureFolder } from "./storage/journal/data-folder.ts";
import { openJournalStore } from "./storage/journal/journal-store.ts";
import type { StorageFailed } from "./transaction.ts";
import { createWalletService } from "./wallet/wallet-service.ts";
import { walletRoutes } from "./wallet/routes.ts";
import { markLocalDaemonStopped } from "../shared/local-daemon-file.ts";

const DEFAULT_SETTINGS = { mirrorProviderStatus: false, discoverFloor: 0.2, discoverPool: 200 };
/** Calls in flight get so long to end when the daemon is told to stop. */
const RUN_GRACE_MS = 7_000;
const ANSWER_GRACE_MS = 1_000;

/** What a daemon says when it listens. */
export interface DaemonReady {
  readonly url: string;
  readonly registryUrl: string;
  readonly pid: number;
  readonly version: string;
  readonly dataDir: string;
  /** Endpoints that are enabled. */
  readonly endpoints: number;
  /** Catalogue files that could not be used, one line each. */
  readonly problems: readonly string[];
}

export interface Daemon {
  readonly ready: DaemonReady;
  /** Drains: takes no new work, lets what is in flight end or records it, lets go of the data folder. Once is enough. */
  close(): Promise<void>;
}

export interface DaemonSurroundings {
  /** `redact` takes every secret that is loaded, and what it looks like encoded, out of a line. */
  readonly createLogger: (redact: (line: string) => string) => Logger;
  /** The disk failed or the lock was lost: nothing is acknowledged any more, and the process has to end. */
  readonly onFatal: (error: StorageFailed) => void;
  readonly clock?: Clock;
  /** Checks every answer against the contract: for tests. */
  readonly validateResponses?: boolean;
}

/**
 * Builds the whole service and starts it: storage, catalogue, runs that were open, HTTP. Rejects as the parts do
 * (`toDaemonExit` tells the exit codes); what was opened by then is closed again.
 */
export async function startDaemon(config: DaemonConfig, surroundings: DaemonSurroundings): Promise<Daemon> {
  const { clock = systemClock } = surroundings;
  let loaded: Catalog | undefined;
  const redactor = createRedactor(() => loaded?.allSecretValues() ?? []);
  const logger = surroundings.createLogger((line) => redactor.text(line));
  const closers: Array<() => Promise<void>> = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const newId = createIdSource();
    const store = await openJournalStore({
      dataDir: config.dataDir,
      forceUnlock: config.forceUnlock,
      onFatal: surroundings.onFatal,
      onCut: (bytes) => logger.info({ bytes }, "cut off a write that was not acknowledged"),
    });
    closers.push(() => store.close());

    const documents = await openDocuments(config, logger);
    const settings = createSettingsStore(documents.settings, { fixed: fixedSettings(config), defaults: DEFAULT_SETTINGS });
    const catalog = await loadCatalog({
      folders: await catalogFolders(config),
      grants: new DocumentGrantStore(documents.grants),
      environment: config.environment,
      allowPrivateHosts: config.allowPrivateHosts,
    });
    loaded = catalog;
    for (const problem of catalog.problems()) logger.warn({ problem }, "a catalogue file cannot be used");

    const builtins = createBuiltinProviders();
    closers.push(() => builtins.close());
    const provider = createHttpProvider({
      secretsOf: (slug) => catalog.resolveSecrets(slug),
      builtinOrigin: (name) => builtins.origin(name),
      allowPrivateHosts: new Set(config.allowPrivateHosts),
      privateHostsGranted: (slug) => catalog.grantedPrivateHosts(slug),
      redactor,
      clock,
    });
    closers.push(() => provider.close());

    const health = createHealth({ clock });
    const unlimited = config.startingCredit === "unlimited";
    const runs = createRunService({
      catalog,
      store,
      provider,
      clock,
      newId,
      unlimited,
      logger,
      onFinished: (run) => health.observe(run),
    });
    closers.push(() => runs.close({ graceMs: RUN_GRACE_MS }));

    const identity = createIdentityService({ store, clock, newId });
    const wallet = createWalletService({ store, clock, unlimited });
    const discovery = createDiscovery({ catalog, health, settings: () => settings.get() });
    const startedAtMs = clock.now();
    let draining = false;
    const routes = [
      healthRoute({ version: config.version, uptimeMs: () => clock.now() - startedAtMs, draining: () => draining }),
      openApiRoute(),
      ...identityRoutes({ identity }),
      ...walletRoutes({ wallet }),
      ...catalogRoutes({ catalog, health, clock }),
      ...discoveryRoutes({ discovery, catalog }),
      ...registryRoutes({ catalog }),
      ...runRoutes({ runs, catalog, mirrorProviderStatus: () => settings.get().mirrorProviderStatus }),
      ...resourceRoutes(),
      ...adminRoutes({ identity, wallet, settings }),
    ];
    const serverOptions = {
      routes,
      authenticate: createAuthenticate({ store, clock }),
      allowedHosts: config.allowedHosts,
      maxBodyBytes: config.maxBodyBytes,
      version: config.version,
      logger,
      validateResponses: surroundings.validateResponses === true,
    };
    const main = createHttpServer(serverOptions);
    const registry = createHttpServer({ ...serverOptions, publicOnly: true });

    await listen(main, config.host, config.port, "--port (MKT_PORT)");
    closers.push(() => main.close({ timeoutMs: ANSWER_GRACE_MS }));
    await listen(registry, config.host, config.registryPort, "--registry-port (MKT_REGISTRY_PORT)");
    closers.push(() => registry.close({ timeoutMs: ANSWER_GRACE_MS }));

    await openOwnerAccess({ store, config, clock, newId, logger }, { url: main.url, registryUrl: registry.url });
    closers.push(async () => {
      await markLocalDaemonStopped(config.configDir, config.dataDir, {
        pid: process.pid,
        at: new Date(clock.now()).toISOString(),
      });
    });
    await runs.recover();

    return {
      ready: describeReady(config, catalog, main, registry),
      async close() {
        draining = true;
        // Runs first: callers who wait for a sync run get its answer over a server that still answers.
        await runs.close({ graceMs: RUN_GRACE_MS });
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openDocuments(config: DaemonConfig, logger: Logger) {
  const dir = await ensureFolder(nodeFiles(), config.dataDir, "docs");
  const options = { onWarning: (message: string) => logger.warn({}, message) };
  return {
    settings: await openDocument(join(dir, "settings.json"), SettingsDocument, {}, options),
    grants: await openDocument(join(dir, "grants.json"), GrantsDocument, { grants: [] }, options),
  };
}

/** What flags and environment fixed, as far as they said something. */
function fixedSettings(config: DaemonConfig) {
  const { mirrorProviderStatus, discoverFloor, discoverPool } = config;
  return {
    ...(mirrorProviderStatus !== undefined && { mirrorProviderStatus }),
    ...(discoverFloor !== undefined && { discoverFloor }),
    ...(discoverPool !== undefined && { discoverPool }),
  };
}

/** The bundled folder, `<config>/catalog` when it is there, then the folders that were named. */
async function catalogFolders(config: DaemonConfig) {
  const own = join(config.configDir, "catalog");
  for (const dir of [...config.catalogDirs, ...config.trustedCatalogDirs]) {
    if (!(await isFolder(dir))) throw new ConfigRefused(`The catalogue folder ${dir} does not exist or is no folder`);
  }
  const { bundledCatalogDir } = config;
  return [
    ...(bundledCatalogDir === undefined ? [] : [{ dir: bundledCatalogDir, trusted: true, bundled: true }]),
    ...((await isFolder(own)) ? [{ dir: own, trusted: config.trustedCatalogDirs.includes(own), bundled: false }] : []),
    ...config.catalogDirs.map((dir) => ({ dir, trusted: false, bundled: false })),
    ...config.trustedCatalogDirs.filter((dir) => dir !== own).map((dir) => ({ dir, trusted: true, bundled: false })),
  ];
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function listen(server: HttpServer, host: string, port: number, setting: string): Promise<void> {
  try {
    await server.listen(host, port);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new ConfigRefused(`Port ${port} on ${host} is taken. Name another with ${setting}, or 0 for any free one`);
    }
    if (code === "EACCES") {
      throw new ConfigRefused(`Port ${port} on ${host} needs more rights. Name one from 1024 up with ${setting}`);
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new ConfigRefused(`${host} is no address of this machine. Name one with --host (MKT_HOST)`);
    }
    throw error;
  }
}

function describeReady(config: DaemonConfig, catalog: Catalog, main: HttpServer, registry: HttpServer): DaemonReady {
  return {
    url: main.url,
    registryUrl: registry.url,
    pid: process.pid,
    version: config.version,
    dataDir: config.dataDir,
    endpoints: catalog.entries().length,
    problems: catalog.problems().map(({ file, path, message }) => `${file} ${path}: ${message}`),
  };
}
