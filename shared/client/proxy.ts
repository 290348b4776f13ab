import { isLoopback } from "../loopback.ts";
import type { Environment } from "../places.ts";

/** The proxy for a request, as an environment names it. */
export interface NamedProxy {
  /** May contain a user name and a password: never show it whole. */
  url: string;
  /** The variable that it came from. */
  from: string;
}

const variables: Readonly<Record<string, readonly string[]>> = {
  "http:": ["http_proxy", "HTTP_PROXY"],
  "https:": ["https_proxy", "HTTPS_PROXY"],
};

/**
 * The proxy that the environment names for URLs of this kind, in the order of other programs (lower case first);
 * undefined for this machine, which a proxy could not reach for us. Ignores NO_PROXY.
 */
export function findProxy(url: string, environment: Environment): NamedProxy | undefined {
  const { protocol, hostname } = new URL(url);
  if (isLoopback(hostname) || hostname.endsWith(".localhost")) return undefined;
  for (const from of variables[protocol] ?? []) {
    const value = environment[from];
    if (value) return { url: value, from };
  }
  return undefined;
}

/** The hosts that are reached without a proxy: `no_proxy`, otherwise `NO_PROXY`. */
export function directHosts(environment: Environment): string {
  return environment["no_proxy"] ?? environment["NO_PROXY"] ?? "";
}
