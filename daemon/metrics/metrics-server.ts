import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toHostList, urlOf } from "../http/listener/host-list.ts";
import { findFaultInHead, type HostList, originForm } from "../http/listener/request-head.ts";

export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

export interface MetricsServer extends AsyncDisposable {
  /** Of the page of metrics, from this machine. */
  readonly url: string;
}

/** One collector asks every few seconds; these are for several of them, and for a person who looks. */
const MOST_CONNECTIONS = 16;
const REQUEST_MS = 10_000;

/**
 * Serves the metrics, and nothing else, on an address of their own without a key. Names in `Host` are checked as on the
 * service's port, so that no page in a browser can read them (docs/security.md, T1). Rejects as `listen` does.
 */
export async function openMetricsServer(
  metrics: MetricsText,
  {
    host,
    port,
    allowedHosts,
  }: { readonly host: string; readonly port: number; readonly allowedHosts: readonly string[] },
): Promise<MetricsServer> {
  let hosts: HostList = toHostList(host, port, allowedHosts);
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    answer(request, response, { metrics, hosts }).catch(() => response.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host.replace(/^\[(.*)\]$/, "$1"), resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  hosts = toHostList(host, bound, allowedHosts);
  return {
    url: `${urlOf(host, bound)}/metrics`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { metrics, hosts }: { readonly metrics: MetricsText; readonly hosts: HostList },
): Promise<void> {
  const { method = "", url = "", rawHeaders } = request;
  const fault = findFaultInHead({ method, url, rawHeaders }, hosts);
  if (fault !== undefined) return refuse(response, fault.status, fault.message);
  if (originForm(url).replace(/\?.*$/s, "") !== "/metrics")
    return refuse(response, 404, "Only /metrics is served here");
  if (method !== "GET" && method !== "HEAD") return refuse(response, 405, "Only GET is answered here");
  const text = await metrics.text();
  response.writeHead(200, { "content-type": metrics.contentType, ...SAFE_HEADERS });
  response.end(method === "HEAD" ? undefined : text);
}

const SAFE_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close", ...SAFE_HEADERS });
  response.end(`${message}.\n`);
}
