import type { Environment } from "../places.ts";
import { nodeTransport, type NodeTransportOptions } from "./node-transport.ts";
import { directHosts, findProxy } from "./proxy.ts";
import type { Transport } from "./transport.ts";

/**
 * Sends through the proxy that the environment names for a URL (HTTP_PROXY, HTTPS_PROXY, NO_PROXY), otherwise as
 * `nodeTransport`; the proxy code is loaded only when needed. Rejects with `ProxyError` when the proxy fails.
 */
export function environmentTransport(environment: Environment, options: NodeTransportOptions = {}): Transport {
  const direct = nodeTransport(options);
  return async (request) => {
    const proxy = findProxy(request.url, environment);
    if (proxy === undefined) return await direct(request);
    const { proxyTransport } = await import("./proxy-transport.ts");
    return await proxyTransport(proxy, directHosts(environment))(request);
  };
}
