import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { type DaemonConfig, parseDaemonConfig } from "../../daemon/config.ts";
import { type Daemon, startDaemon } from "../../daemon/daemon.ts";
import { type Client, createClient } from "../../shared/client/client.ts";
import { readLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { tempDir } from "./temp-dir.ts";

export const bundledCatalogDir = new URL("../../catalog", import.meta.url).pathname;

export interface TestDaemonOptions {
  /** Manifests by slug; written as JSON into a folder that is trusted. */
  readonly manifests?: Readonly<Record<string, object>>;
  /** Further environment, settings and secrets alike. */
  readonly environment?: Readonly<Record<string, string>>;
  /** `host` or `host:port` that manifests may reach. */
  readonly allowPrivateHosts?: readonly string[];
  /** The bundled catalogue with atlas; off unless asked for. */
  readonly bundled?: boolean;
  /** A folder of an earlier daemon. */
  readonly home?: string;
  readonly config?: Partial<DaemonConfig>;
}

export interface TestDaemon extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly url: string;
  readonly registryUrl: string;
  /** The owner's key. */
  readonly key: string;
  readonly client: Client;
  readonly home: string;
  /** A request with the owner's key; gives status, headers and the parsed body. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

/** A real daemon on free ports with folders of its own, whose answers are checked against the contract. */
export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const folder = options.home === undefined ? tempDir() : undefined;
  const home = options.home ?? folder?.path ?? "";
  const catalogDir = join(home, "catalog");
  mkdirSync(catalogDir, { recursive: true });
  for (const [slug, manifest] of Object.entries(options.manifests ?? {})) {
    writeFileSync(join(catalogDir, `${slug}.json`), JSON.stringify({ mkt: 1, provider: slug, ...manifest }));
  }
  const parsed = parseDaemonConfig(
    {
      port: "0",
      registryPort: "0",
      trustedCatalog: [catalogDir],
      bundledCatalog: options.bundled === true,
      allowPrivateHost: [...(options.allowPrivateHosts ?? ["127.0.0.1"])],
    },
    {
      environment: { MKT_DATA_DIR: join(home, "data"), MKT_CONFIG_DIR: join(home, "config"), ...options.environment },
      bundledCatalogDir,
      version: "0.1.0",
    },
  );
  const config = { ...parsed, ...options.config };
  const daemon = await startDaemon(config, {
    createLogger: () => pino({ level: process.env["MKT_TEST_LOG"] ?? "silent" }),
    onFatal: () => {},
    validateResponses: true,
  });
  const { url, registryUrl } = daemon.ready;
  const key = (await readLocalDaemonFile(config.configDir, config.dataDir))?.key ?? "";

  return {
    daemon,
    url,
    registryUrl,
    key,
    home,
    client: createClient({ baseUrl: url, key, clientKind: "cli" }),
    async request(method, path, body, headers = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
    },
    async [Symbol.asyncDispose]() {
      await daemon.close();
      folder?.[Symbol.dispose]();
    },
  };
}
