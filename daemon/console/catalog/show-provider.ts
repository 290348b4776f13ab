import type { CatalogHistory, CatalogProviderView, CatalogSetup } from "../../../shared/contract/catalog-views.ts";
import { grants } from "../../../shared/contract/scope-grants.ts";
import { ApiError } from "../../../shared/errors.ts";
import { didYouMean } from "../../../shared/near-misses.ts";
import { toPublicPrice } from "../../billing/public-price.ts";
import type { CatalogEntry, CatalogProvider } from "../../catalog/entries/catalog-entry.ts";
import { SPAN_HOURS } from "../../discovery/health/span-times.ts";
import { onlyKeyOf, type WorkspaceCaller } from "../../http/callers/caller.ts";
import { type PageRequest, takeRankedPage } from "../../registry/list-page.ts";
import type { CatalogViewParts } from "./catalog-parts.ts";
import { toProviderItem, whyUnavailable } from "./provider-item.ts";

/** A provider with a page of its endpoints, in the order of its file. Throws notFound. */
export async function showProvider(
  parts: CatalogViewParts,
  caller: WorkspaceCaller,
  slug: string,
  page: PageRequest,
): Promise<CatalogProviderView> {
  const provider = getProvider(parts, slug);
  const list = { kind: "catalog-endpoints", keyOf: ({ path }: CatalogEntry) => [slug, path] };
  const { items, cursor } = takeRankedPage(list, parts.catalog.entriesOf(slug), page);
  return {
    ...toProviderItem(parts, provider, caller),
    endpoints: items.map((entry) => {
      const { path, displayName, description, verified } = entry;
      const unavailable = whyUnavailable(parts, caller, { provider: slug, path, entries: [entry] });
      return {
        endpoint: path,
        displayName,
        displayDescription: description,
        price: toPublicPrice(entry.price),
        metrics: parts.health.metrics(slug, path, caller.workspaceId),
        verified,
        ...(unavailable !== undefined && { unavailable }),
      };
    }),
    ...(cursor !== undefined && { cursor }),
    ...(caller.operator && { setup: await setupOf(parts, provider) }),
  };
}

/**
 * Runs, errors and run times of seven days. Who may read runs gets those of the own workspace, an operator those of all; a key
 * that is held to its own things gets none, since what is kept knows no keys. Throws notFound.
 */
export function showHistory(
  parts: CatalogViewParts,
  caller: WorkspaceCaller,
  slug: string,
  endpoint: string | undefined,
): CatalogHistory {
  getProvider(parts, slug);
  const paths = parts.catalog.entriesOf(slug).map(({ path }) => path);
  if (endpoint !== undefined && !paths.includes(endpoint)) {
    throw new ApiError("notFound", `Provider "${slug}" has no endpoint "${endpoint}"${didYouMean(endpoint, paths)}`);
  }
  const mayRead = onlyKeyOf(caller) === undefined && grants(caller.scopes, "runs:read");
  if (!mayRead) return { runsOf: "nobody", spanHours: SPAN_HOURS, spans: [] };
  const whose = { viewer: caller.workspaceId, everybody: caller.operator };
  const spans = parts.health.history(slug, endpoint === undefined ? paths : [endpoint], whose);
  return {
    runsOf: caller.operator ? "everybody" : "workspace",
    spanHours: SPAN_HOURS,
    spans: spans.map(({ at, runs, errors, times }) => ({
      at: new Date(at).toISOString(),
      runs,
      errors,
      ...(times !== undefined && { averageMs: times.average, slowestMs: times.slowest }),
    })),
  };
}

async function setupOf({ catalog, verdicts }: CatalogViewParts, provider: CatalogProvider): Promise<CatalogSetup> {
  const { file, trusted, secrets } = provider;
  const { granted, demands, missing } = catalog.standing(provider.provider);
  const grant = catalog.grants.list().find((one) => one.provider === provider.provider);
  const values = catalog.resolveSecrets(provider);
  const stateOf = (name: string) => {
    if (!granted) return "notRead" as const;
    if (missing.some((one) => one.name === name)) return "missing" as const;
    return Object.hasOwn(values, name) ? ("set" as const) : ("optional" as const);
  };
  const known = await verdicts.of(provider);
  const { provider: _, ...verdict } = known ?? { provider: undefined };
  return {
    file,
    trusted,
    needsGrant: !granted,
    ...(grant !== undefined && granted && { grantedAt: grant.grantedAt }),
    asks: {
      origin: demands.origin,
      variables: [...demands.variables],
      privateHosts: [...demands.privateHosts],
    },
    secrets: Object.entries(secrets).map(([name, { env, description }]) => ({
      name: env,
      ...(description !== undefined && { description }),
      state: stateOf(name),
    })),
    ...("verdict" in verdict && { verdict }),
    problems: catalog
      .problems()
      .filter((problem) => problem.file === file)
      .map(({ path, line, rule, message }) => ({ file, path, ...(line !== undefined && { line }), rule, message })),
  };
}

function getProvider({ catalog }: CatalogViewParts, slug: string): CatalogProvider {
  const provider = catalog.findProvider(slug);
  if (provider !== undefined) return provider;
  const slugs = catalog.providers().map((one) => one.provider);
  throw new ApiError("notFound", `Provider "${slug}" was not found${didYouMean(slug, slugs)}`);
}
