import { pino } from "pino";
import type { Clock } from "../../daemon/base/clock.ts";
import { type DaemonConfig, parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { createLoadGuard } from "../../daemon/http/limits/load-guard.ts";
import { type Daemon, startDaemon } from "../../daemon/daemon.ts";
import type { Logger } from "../../daemon/base/logger.ts";
import { type Client, createClient } from "../../shared/client/client.ts";
import { readLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { atlasCatalogDir } from "./bundled-catalog.ts";
import { BUNDLED_CATALOG, type MktHome, mktHome } from "./mkt-home.ts";
import { type Ask, askWith } from "./request.ts";
import { storeSettings } from "./suite-store.ts";

export interface TestDaemonOptions {
  /** The home of an earlier daemon; without it a fresh one that goes with the daemon. */
  readonly home?: MktHome;
  /** Manifests by slug, in a trusted folder. */
  readonly manifests?: Readonly<Record<string, object>>;
  /** Further environment, settings and secrets alike. */
  readonly environment?: Readonly<Record<string, string>>;
  /** `host` or `host:port` that manifests may reach. */
  readonly allowPrivateHosts?: readonly string[];
  /** Whether atlas is served; without it unless asked for. */
  readonly bundled?: boolean;
  readonly config?: Partial<DaemonConfig>;
  /** The wall clock as the daemon has it. */
  readonly clock?: Clock;
  /** Takes every line of its log as an object; silent without it. */
  readonly onLog?: (line: Readonly<Record<string, unknown>>) => void;
}

export interface TestDaemon extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly url: string;
  readonly registryUrl: string;
  /** The owner's key. */
  readonly key: string;
  readonly client: Client;
  /** A request with the owner's key. */
  readonly request: Ask;
}

/**
 * The event loop and the machine are busy with the tests themselves: nobody is refused for that. As many as may wait at most
 * are, as ever.
 */
const NEVER_LATE = { standingMs: () => 0 };

/** A real daemon in this process, on free ports, whose answers are checked against the contract. */
export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const home = options.home ?? mktHome();
  const removeOwnHome = () => {
    if (options.home === undefined) home[Symbol.dispose]();
  };
  try {
    const environment = { ...(await storeSettings(home)), ...options.environment };
    const config = configIn(home, { ...options, environment });
    const daemon = await startDaemon(config, {
      createLogger: () => createLogger(options.onLog),
      ...(options.clock !== undefined && { clock: options.clock }),
      onFatal: () => {},
      validateResponses: true,
      load: createLoadGuard(NEVER_LATE, () => 0),
    });
    const { url, registryUrl } = daemon.ready;
    const key = (await readLocalDaemonFile(config.configDir, config.dataDir))?.key ?? "";
    return {
      daemon,
      url,
      registryUrl,
      key,
      client: createClient({ baseUrl: url, key, clientKind: "cli" }),
      request: askWith(url, key),
      async [Symbol.asyncDispose]() {
        await daemon.close();
        removeOwnHome();
      },
    };
  } catch (error) {
    removeOwnHome();
    throw error;
  }
}

function createLogger(onLog: TestDaemonOptions["onLog"]): Logger {
  if (onLog === undefined) return pino({ level: process.env["MKT_TEST_LOG"] ?? "silent" });
  return pino({ level: "info" }, { write: (line: string) => onLog(JSON.parse(line)) });
}

function configIn(home: MktHome, options: TestDaemonOptions): DaemonConfig {
  const { manifests = {}, environment = {}, allowPrivateHosts = ["127.0.0.1"], bundled = false, config } = options;
  const parsed = parseDaemonConfig(
    {
      port: "0",
      registryPort: "0",
      trustedCatalog: [home.writeCatalog("trusted", manifests)],
      bundledCatalog: bundled,
      allowPrivateHost: [...allowPrivateHosts],
    },
    {
      environment: { ...home.environment, ...BUNDLED_CATALOG, ...environment },
      bundledCatalogDir: atlasCatalogDir(),
      version: "0.1.0",
    },
  );
  return { ...parsed, ...config };
}
