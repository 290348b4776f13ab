import type { UnavailableReason } from "../../shared/contract/discovery.ts";
import { unavailableReasons } from "../catalog/availability.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { findLogin } from "../manifest/login-auth.ts";
import type { HealthSource } from "./health/health.ts";

/** Why an endpoint cannot be run now. */
export interface Unavailability {
  readonly reason: UnavailableReason;
  /** The secrets that are not set, by the names of their environment variables; empty for the other reasons. */
  readonly missing: readonly string[];
}

export interface UnavailabilityParts {
  readonly catalog: Pick<Catalog, "availability" | "toolChange">;
  readonly health: HealthSource;
  /** Why the account of who asks cannot be used; absent: it is not asked. */
  readonly account?: ((entry: CatalogEntry) => { readonly why: string } | undefined) | undefined;
}

/** Undefined for an endpoint that can be run. Created for each discovery, which checks each provider once. */
export function createUnavailabilityCheck({
  catalog,
  health,
  account,
}: UnavailabilityParts): (entry: CatalogEntry) => Unavailability | undefined {
  const ofProviders = new Map<string, Unavailability | undefined>();

  function ofProvider(provider: string): Unavailability | undefined {
    if (!ofProviders.has(provider)) ofProviders.set(provider, read(provider));
    return ofProviders.get(provider);
  }

  function read(provider: string): Unavailability | undefined {
    const availability = catalog.availability(provider);
    if (availability.available) return undefined;
    return { reason: unavailableReasons[availability.reason], missing: availability.missing };
  }

  const ofAccounts = new Map<string, Unavailability | undefined>();

  /** Of a login, once for each address: a provider may have thousands of endpoints. */
  function ofAccount(entry: CatalogEntry): Unavailability | undefined {
    const { provider, http } = entry;
    if (account === undefined || findLogin(http.auth) === undefined) return undefined;
    const key = `${provider.provider} ${http.baseUrl}`;
    if (!ofAccounts.has(key)) {
      ofAccounts.set(key, account(entry) === undefined ? undefined : { reason: "notConnected", missing: [] });
    }
    return ofAccounts.get(key);
  }

  /** A route can be run when one of its members can be, and that one is not in outage. */
  function ofRoute(entry: CatalogEntry, members: NonNullable<CatalogEntry["alternatives"]>["members"]) {
    const availability = catalog.availability(entry.provider.provider, entry.path);
    if (!availability.available) {
      return { reason: unavailableReasons[availability.reason], missing: availability.missing };
    }
    const isReady = members.some(
      ({ provider, endpoint }) =>
        catalog.availability(provider, endpoint).available && health.metrics(provider, endpoint).status !== "outage",
    );
    return isReady ? undefined : { reason: "outage" as const, missing: [] };
  }

  return (entry) => {
    if (entry.alternatives !== undefined) return ofRoute(entry, entry.alternatives.members);
    if (entry.notRunnable !== undefined) return { reason: "notSupported", missing: [] };
    if (catalog.toolChange(entry) !== undefined) return { reason: "changed", missing: [] };
    const { provider } = entry.provider;
    const isOut = () => health.metrics(provider, entry.path).status === "outage";
    return ofProvider(provider) ?? ofAccount(entry) ?? (isOut() ? { reason: "outage", missing: [] } : undefined);
  };
}
