import { operations } from "../../shared/contract/index.ts";
import type { CatalogProviderStatus, ProviderNotLoaded } from "../../shared/contract/admin.ts";
import type { SecretVerdict } from "../../shared/contract/secret-verdicts.ts";
import { renderHints } from "../../shared/hints/render-hints.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import type { WorkspaceId } from "../base/ids.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { inspectRoute } from "./alternatives/inspect-route.ts";
import type { KnownRefusals, MemberFigures } from "./alternatives/member-standing.ts";
import { unavailableReasons } from "./availability.ts";
import type { Catalog } from "./catalog.ts";
import { findLogin } from "../manifest/login-auth.ts";
import type { CatalogEntry, CatalogProvider } from "./entries/catalog-entry.ts";
import type { CatalogProblem } from "./problems/catalog-problem.ts";
import { mistakeWords } from "./problems/not-loaded.ts";
import { endpointHints, toInspection } from "./public-cards.ts";
import { listOwnerPrices, removeOwnerPrice, setOwnerPrice } from "./set-owner-price.ts";

/** How endpoints did recently for a workspace. */
export type MetricsSource = MemberFigures;

export interface CatalogRoutesParts {
  readonly catalog: Catalog;
  readonly health: MetricsSource;
  /** What is known of providers' secrets. */
  readonly verdicts: KnownRefusals & { of(provider: CatalogProvider): Promise<SecretVerdict | undefined> };
  /** Why the account of a workspace cannot be used for an endpoint; undefined if it can, or none is needed. */
  readonly accounts?: {
    whyNot(workspaceId: WorkspaceId, entry: CatalogEntry): { readonly why: string; readonly next: string } | undefined;
  };
  readonly clock: Clock;
}

/** Inspect, and the operator's view of the catalog and its grants. */
export function catalogRoutes({ catalog, health, verdicts, accounts, clock }: CatalogRoutesParts): Route[] {
  const withVerdict = async (
    status: CatalogProviderStatus,
    byName: ReadonlyMap<string, CatalogProvider>,
  ): Promise<CatalogProviderStatus> => {
    const found = byName.get(status.provider);
    const known = found && (await verdicts.of(found));
    if (known === undefined) return status;
    return { ...status, secretVerdict: known.verdict, ...(known.at !== undefined && { secretVerdictAt: known.at }) };
  };
  const accountOf = (provider: string, workspaceId: WorkspaceId): Pick<CatalogProviderStatus, "account"> => {
    const entry = catalog.entriesOf(provider).find(({ http }) => findLogin(http.auth) !== undefined);
    if (entry === undefined || accounts === undefined) return {};
    return { account: accounts.whyNot(workspaceId, entry) === undefined ? "connected" : "notConnected" };
  };
  return [
    route(operations.inspectEndpoint, async ({ body, client, caller }) => {
      const entry = catalog.get(body.provider, body.endpoint, caller);
      const { provider } = entry.provider;
      const availability = catalog.availability(provider, entry.path);
      const inspection = toInspection(entry, {
        hints: renderHints(endpointHints(entry), client),
        metrics: health.metrics(provider, entry.path, caller.workspaceId),
        unavailable: availability.available
          ? withoutAccount(accounts?.whyNot(caller.workspaceId, entry))
          : { ...availability, reason: unavailableReasons[availability.reason], missing: [...availability.missing] },
      });
      const { alternatives } = entry;
      if (alternatives !== undefined) {
        const parts = { catalog, figures: health, knownRefusals: verdicts };
        return reply(200, { ...inspection, route: await inspectRoute(alternatives, parts, caller) });
      }
      const known = await verdicts.of(entry.provider);
      if (known === undefined) return reply(200, inspection);
      const { verdict, at } = known;
      return reply(200, { ...inspection, secret: at === undefined ? { verdict } : { verdict, at } });
    }),
    route(operations.getAdminCatalog, async ({ caller }) => {
      const byName = new Map(catalog.providers().map((one) => [one.provider, one]));
      return reply(200, {
        folders: [...catalog.folders],
        providers: await Promise.all(
          toProviderStatuses(catalog).map(
            async (status) =>
              await withVerdict({ ...status, ...accountOf(status.provider, caller.workspaceId) }, byName),
          ),
        ),
        errors: catalog.problems().map(toFileError),
        notLoaded: [...catalog.notLoaded()].map(([provider, problems]) => toNotLoaded(provider, problems)),
      });
    }),
    route(operations.listGrants, () => reply(200, { items: [...catalog.grants.list()] })),
    route(operations.createGrant, async ({ body }) => {
      const { origin, variables, privateHosts } = catalog.standing(body.provider).demands;
      const grant = {
        provider: body.provider,
        origin,
        variables: [...variables],
        privateHosts: [...privateHosts],
        grantedAt: isoNow(clock),
      };
      await catalog.grants.put(grant);
      return reply(201, grant);
    }),
    route(operations.listPrices, () => reply(200, { items: listOwnerPrices(catalog) })),
    route(operations.putPrice, async ({ body }) => reply(200, await setOwnerPrice(catalog, body))),
    route(operations.deletePrice, async ({ params, query }) => {
      await removeOwnerPrice(catalog, params.provider, query.endpoint);
      return reply(204, undefined);
    }),
    route(operations.deleteGrant, async ({ params }) => {
      await catalog.grants.remove(params.provider);
      return reply(204, undefined);
    }),
  ];
}

/** What can be called, but not by this workspace. */
function withoutAccount(missing: { readonly why: string; readonly next: string } | undefined) {
  return missing && { reason: "notConnected" as const, message: missing.why, next: missing.next };
}

function toProviderStatuses(catalog: Catalog): CatalogProviderStatus[] {
  const problems = new Map<string, number>();
  for (const { file } of catalog.problems()) problems.set(file, (problems.get(file) ?? 0) + 1);
  return catalog.providers().map((provider) => toProviderStatus(catalog, provider, problems));
}

/** `problems`: the number of them, by file. */
function toProviderStatus(
  catalog: Catalog,
  provider: CatalogProvider,
  problems: ReadonlyMap<string, number>,
): CatalogProviderStatus {
  const slug = provider.provider;
  const { granted, demands, missing } = catalog.standing(slug);
  const entries = catalog.entriesOf(slug);
  const { importedFrom } = provider;
  const pricedByOwner = entries.filter(({ isPriceOfOwner }) => isPriceOfOwner).length;
  return {
    provider: slug,
    displayName: provider.displayName,
    endpoints: entries.length,
    unverified: entries.filter(({ verified }) => !verified).length,
    ...(importedFrom !== undefined && { source: importedFrom }),
    ...(pricedByOwner > 0 && { pricedByOwner }),
    problems: problems.get(provider.file) ?? 0,
    file: provider.file,
    origin: demands.origin,
    available: catalog.availability(slug).available,
    missingSecrets: missing.map(({ name, env, description }) => ({
      name,
      env,
      ...(description !== undefined && { description }),
    })),
    needsGrant: !granted,
    grant: { origin: demands.origin, variables: [...demands.variables], privateHosts: [...demands.privateHosts] },
  };
}

function toNotLoaded(provider: string, problems: readonly CatalogProblem[]): ProviderNotLoaded {
  const [first] = problems;
  const mistake = first === undefined ? "its file has mistakes" : mistakeWords(first);
  return { provider, file: first?.file ?? "", message: `not loaded: ${mistake}`, problems: problems.length };
}

function toFileError({ file, path, line, rule, message }: CatalogProblem) {
  return { file, path, ...(line !== undefined && { line }), rule, message };
}
