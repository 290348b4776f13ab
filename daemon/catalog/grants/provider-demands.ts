import { addressesOf } from "../../manifest/login-auth.ts";
import type { CatalogEntry, CatalogProvider } from "../entries/catalog-entry.ts";
import { originOf } from "../../manifest/url-origin.ts";

/**
 * What a provider's file requests beyond public hosts; the operator sees it and consents to it.
 * docs/manifest.md, "Grants".
 */
export interface ProviderDemands {
  /**
   * Every origin that credentials may be sent to, or typed into by a person who logs in; joined by a space, that of the
   * provider's base URL first.
   */
  readonly origin: string;
  /** Environment variables that it requests. */
  readonly variables: readonly string[];
  /** Hosts (`host:port`) in private networks that it requests. docs/manifest.md, "Private addresses". */
  readonly privateHosts: readonly string[];
}

/** Counts everything that is called: endpoints, and the calls that manage resources. */
export function demandsOf(provider: CatalogProvider, called: readonly Pick<CatalogEntry, "http">[]): ProviderDemands {
  const origins = new Set([provider.origin]);
  const privateHosts = new Set<string>();
  for (const { http } of called) {
    const authUrls = http.auth.flatMap((auth) => addressesOf(auth).map(([, url]) => url));
    for (const url of [http.baseUrl, ...authUrls]) {
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

/** `host:port`, always with the port. */
function hostOf(origin: string): string {
  const { hostname, port, protocol } = new URL(origin);
  return `${hostname}:${port === "" ? (protocol === "http:" ? "80" : "443") : port}`;
}
