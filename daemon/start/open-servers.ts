import { isLoopback } from "../../shared/loopback.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import type { Clock } from "../base/clock.ts";
import { createRateGuard } from "../http/limits/rate-limits.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "../http/server.ts";
import { listening } from "./listening.ts";

/** Time for answers in progress to be sent after the runs have ended. */
const ANSWER_GRACE_MS = 1_000;

export interface Servers {
  /** The URL of the service on this machine. */
  readonly url: string;
  readonly registryUrl: string;
  /** Closes both servers at the same time; requests in progress have the given time. May be called again. */
  close(options: { readonly timeoutMs: number }): Promise<void>;
}

export type ServersOptions = Omit<
  HttpServerOptions,
  "allowedHosts" | "maxBodyBytes" | "rates" | "trustedProxies" | "version" | "publicOnly" | "connections"
> & {
  /** Maximum number of connections of each port, so that neither port takes them from the other. */
  readonly shares: Pick<DescriptorShares, "service" | "registry">;
  readonly clock: Clock;
};

/** The service and, on its own port, the public registry. Throws `ConfigRefused` if a port is in use. */
export async function openServers(config: DaemonConfig, opened: OpenParts, options: ServersOptions): Promise<Servers> {
  const { allowedHosts, maxBodyBytes, trustedProxies, version, host } = config;
  const { shares, clock, pages, ...parts } = options;
  const rates = createRateGuard({ limits: config.rateLimits, clock });
  const all = { ...parts, allowedHosts, maxBodyBytes, trustedProxies, version, rates };
  const main = createHttpServer({
    ...all,
    ...(pages !== undefined && { pages }),
    connections: { maxConnections: shares.service },
  });
  const registry = createHttpServer({ ...all, connections: { maxConnections: shares.registry }, publicOnly: true });
  const close = async (timeout: { readonly timeoutMs: number }) => {
    await Promise.all([main.close(timeout), registry.close(timeout)]);
  };
  opened.defer(() => close({ timeoutMs: ANSWER_GRACE_MS }));
  await listen(main, host, config.port, "--port (MKT_PORT)");
  await listen(registry, host, config.registryPort, "--registry-port (MKT_REGISTRY_PORT)");
  if (!isLoopback(host)) {
    options.logger.warn(
      { host },
      "other machines can reach this daemon; without TLS in front of it, keys can be intercepted",
    );
  }
  return { url: main.url, registryUrl: registry.url, close };
}

async function listen(server: HttpServer, host: string, port: number, setting: string): Promise<void> {
  await listening({ host, port, setting, hostSetting: "--host (MKT_HOST)" }, () => server.listen(host, port));
}
