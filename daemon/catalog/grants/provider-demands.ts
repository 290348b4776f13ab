import type { CatalogEntry, CatalogProvider } from "../entries/catalog-entry.ts";
import { originOf } from "../../manifest/url-origin.ts";

/**
 * What a provider's file asks for beyond public hosts: what the operator is shown and says yes to.
 * docs/manifest.md, "Grants".
 */
export interface ProviderDemands {
  /** Every origin that credentials may be sent to, joined by a blank, that of the provider's base URL first. */
  readonly origin: string;
  /** Environment variables that it wants to read. */
  readonly variables: readonly string[];
  /** Hosts (`host:port`) that it wants to reach in private networks. docs/manifest.md, "Private addresses". */
  readonly privateHosts: readonly string[];
}

/** Of everything that is called: endpoints, and what looks after resources. */
export function demandsOf(provider: CatalogProvider, called: readonly Pick<CatalogEntry, "http">[]): ProviderDemands {
  const origins = new Set([provider.origin]);
  const privateHosts = new Set<string>();
  for (const { http } of called) {
    const tokenUrls = http.auth.flatMap((auth) => (auth.type === "clientCredentials" ? [auth.tokenUrl] : []));
    for (const url of [http.baseUrl, ...tokenUrls]) {
      const origin = originOf(url);
      if (origin === undefined) continue;
      origins.add(origin);
      if (http.allowPrivateNetwork && !origin.startsWith("builtin:")) privateHosts.add(hostOf(origin));
    }
    if (http.allowPrivateNetwork) for (const host of http.allowHosts) privateHosts.add(host.toLowerCase());
  }
  return {
    origin: [...origins].join(" "),
    variables: [...new Set(Object.values(provider.secrets).map(({ env }) => env))].sort(),
    privateHosts: [...privateHosts].sort(),
  };
}

/** `host:port`, the port always spelled out. */
function hostOf(origin: string): string {
  const { hostname, port, protocol } = new URL(origin);
  return `${hostname}:${port === "" ? (protocol === "http:" ? "80" : "443") : port}`;
}
