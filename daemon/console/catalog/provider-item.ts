import { dirname } from "node:path";
import type { CatalogProviderItem, CatalogUnavailable } from "../../../shared/contract/catalog-views.ts";
import type { EndpointMetrics } from "../../../shared/contract/discovery.ts";
import { grants } from "../../../shared/contract/scope-grants.ts";
import { unavailableReasons } from "../../catalog/availability.ts";
import type { CatalogEntry, CatalogProvider } from "../../catalog/entries/catalog-entry.ts";
import { toProviderEntry } from "../../catalog/public-cards.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import type { CatalogViewParts } from "./catalog-parts.ts";

type HealthStatus = EndpointMetrics["status"];

/** From good to bad; `unknown` says nothing. */
const SEVERITY: readonly HealthStatus[] = ["unknown", "healthy", "stable", "degraded", "outage"];
const MOST_CATEGORIES = 5;

/** A provider with how it does in the eyes of the caller's workspace, and what it lacks. */
export function toProviderItem(
  parts: CatalogViewParts,
  provider: CatalogProvider,
  caller: WorkspaceCaller,
): CatalogProviderItem {
  const slug = provider.provider;
  const entries = parts.catalog.entriesOf(slug);
  const statuses = entries.map(({ path }) => parts.health.metrics(slug, path, caller.workspaceId).status);
  const unavailable = whyUnavailable(parts, caller, { provider: slug, entries });
  return {
    ...toProviderEntry(provider, entries.length),
    categories: categoriesOf(entries),
    source: sourceOf(provider, parts.bundledDir),
    status: statuses.reduce(worse, "unknown"),
    failing: statuses.filter((status) => status === "outage" || status === "degraded").length,
    ...(unavailable !== undefined && { unavailable }),
  };
}

/** Of the whole provider; with `path` of one of its endpoints. */
export function whyUnavailable(
  { catalog, accounts }: CatalogViewParts,
  caller: WorkspaceCaller,
  {
    provider,
    path,
    entries,
  }: { readonly provider: string; readonly path?: string; readonly entries: readonly CatalogEntry[] },
): CatalogUnavailable | undefined {
  const availability = catalog.availability(provider, path);
  if (!availability.available) {
    const { reason, missing, next } = availability;
    return {
      reason: unavailableReasons[reason],
      ...(missing.length > 0 && { missing: [...missing] }),
      ...(caller.operator && next !== undefined && { next }),
    };
  }
  const notConnected = entries.map((entry) => accounts.whyNot(caller.workspaceId, entry));
  const [first] = notConnected;
  if (first === undefined || notConnected.includes(undefined)) return undefined;
  const mayConnect = grants(caller.scopes, "resources:create");
  return { reason: "notConnected", ...(mayConnect && { next: first.next }) };
}

function worse(a: HealthStatus, b: HealthStatus): HealthStatus {
  return SEVERITY.indexOf(a) >= SEVERITY.indexOf(b) ? a : b;
}

function sourceOf(
  { file, importedFrom }: CatalogProvider,
  bundledDir: string | undefined,
): CatalogProviderItem["source"] {
  if (importedFrom === "market") return "market";
  return bundledDir !== undefined && dirname(file) === bundledDir ? "bundled" : "own";
}

function categoriesOf(entries: readonly CatalogEntry[]): string[] {
  const counts = new Map<string, number>();
  for (const { categories } of entries) for (const one of categories) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([category]) => category)
    .slice(0, MOST_CATEGORIES);
}
