import type { HostList } from "./request-head.ts";

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];
const WILDCARD_ADDRESSES = new Set(["0.0.0.0", "::"]);

/**
 * The names that a server bound to `address`:`port` answers to: loopback with that port, the address itself, and what the
 * operator configured as `name` (with any port) or `name:port`. Nothing is taken from a request. docs/security.md, T1.
 */
export function toHostList(address: string, port: number, configured: readonly string[]): HostList {
  const hosts = new Set<string>();
  const names = new Set<string>();
  const origins = new Set<string>();
  const ownHosts = WILDCARD_ADDRESSES.has(address) ? LOOPBACK_HOSTS : [...LOOPBACK_HOSTS, hostOf(address)];
  for (const host of ownHosts) {
    hosts.add(`${host}:${port}`);
    origins.add(`http://${host}:${port}`);
    if (port === 80) {
      hosts.add(host);
      origins.add(`http://${host}`);
    }
  }
  for (const entry of configured.map((name) => name.trim().toLowerCase())) {
    (/:\d+$/.test(entry) ? hosts : names).add(entry);
    origins.add(`http://${entry}`);
    origins.add(`https://${entry}`);
  }
  return { hosts, names, origins };
}

/** The address as written in a URL: IPv6 in brackets, lower case. */
export function hostOf(address: string): string {
  return address.includes(":") && !address.startsWith("[") ? `[${address.toLowerCase()}]` : address.toLowerCase();
}

/** The URL that reaches a server bound to this address from its own machine. */
export function urlOf(address: string, port: number): string {
  const reachable = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return `http://${hostOf(reachable)}:${port}`;
}
