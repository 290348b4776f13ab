import type { PublicProviderEntry } from "../../shared/contract/catalog.ts";
import type { DiscoverResult } from "../../shared/contract/discovery.ts";
import { operations } from "../../shared/contract/index.ts";
import { renderHints } from "../../shared/hints/render-hints.ts";
import { toPublicPrice } from "../billing/public-price.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { endpointHints, toEndpointCard, toProviderEntry } from "../catalog/public-cards.ts";
import type { ClientKind } from "../../shared/hints/client-kind.ts";
import { reply, type Route, route } from "../http/route.ts";
import type { Discovery, DiscoverQuestion, Found, Match } from "./discover.ts";
import { toUnavailableMatches, toWireReason } from "./unavailable-matches.ts";

const LEGACY_MAX_LIMIT = 50;
const DEFAULT_LIMIT = 10;

export interface DiscoveryRoutesParts {
  readonly discovery: Discovery;
  readonly catalog: Pick<Catalog, "entriesOf">;
}

interface EndpointsQuestion extends DiscoverQuestion {
  readonly limit?: number | undefined;
}

/** What a response includes. */
interface Telling {
  readonly explains: boolean;
  /** Hidden matches are reported only to clients that know of them, or that request more than the contract has. */
  readonly tellsHidden: boolean;
  /** Only callers with a credential see the names of secrets. */
  readonly namesSecrets: boolean;
}

/** Discovery for callers with a workspace, and a public version without hints and scores. */
export function discoveryRoutes({ discovery, catalog }: DiscoveryRoutesParts): Route[] {
  async function findEndpoints(question: EndpointsQuestion, { explains, tellsHidden, namesSecrets }: Telling) {
    const found = await discovery.find(question);
    const unavailable = tellsHidden ? toUnavailableMatches(found, { namesSecrets }) : undefined;
    const shown = found.matches.slice(0, Math.min(question.limit ?? DEFAULT_LIMIT, discovery.poolSize()));
    return {
      items: shown.map(({ entry }) => toEndpointCard(entry)),
      total: found.matches.length,
      ...(explains && { explanations: discovery.explain(question.q, shown), ...servicesOf(found) }),
      ...(unavailable !== undefined && { unavailable }),
    };
  }
  const findProviders = async (question: DiscoverQuestion) => ({
    items: providersOf(await discovery.discover(question), catalog),
  });
  return [
    route(operations.discover, async ({ body, query: { explain }, client, caller: { workspaceId: viewer } }) => {
      const query = body.q ?? body.query ?? "";
      const limit = Math.min(body.limit, LEGACY_MAX_LIMIT, discovery.poolSize());
      const found = await discovery.find({ ...body, q: query, viewer });
      const matches = found.matches.slice(0, limit);
      const explains = asksToExplain(body.explain, explain);
      const unavailable =
        explains || knowsOfHidden(client) ? toUnavailableMatches(found, { namesSecrets: true }) : undefined;
      const explanations = explains ? discovery.explain(query, matches) : [];
      const results = matches.map((match, place) => {
        const explanation = explanations[place];
        return { ...toDiscoverResult(match, client), ...(explanation !== undefined && { explanation }) };
      });
      return reply(200, {
        results,
        query,
        count: results.length,
        ...(explains && servicesOf(found)),
        ...(unavailable !== undefined && { unavailable }),
      });
    }),
    route(operations.discoverEndpoints, async ({ body, query, client, caller: { workspaceId: viewer } }) => {
      const explains = asksToExplain(body.explain, query.explain);
      const telling = { explains, tellsHidden: explains || knowsOfHidden(client), namesSecrets: true };
      return reply(200, await findEndpoints({ ...body, viewer }, telling));
    }),
    route(operations.discoverCategories, async ({ body, caller: { workspaceId: viewer } }) =>
      reply(200, await discovery.categories({ ...body, viewer })),
    ),
    route(operations.discoverProviders, async ({ body, caller: { workspaceId: viewer } }) =>
      reply(200, await findProviders({ ...body, viewer })),
    ),
    route(operations.publicDiscoverEndpoints, async ({ body, query, client }) => {
      const explains = asksToExplain(body.explain, query.explain);
      const telling = { explains, tellsHidden: explains || knowsOfHidden(client), namesSecrets: false };
      return reply(200, await findEndpoints(body, telling));
    }),
    route(operations.publicDiscoverCategories, async ({ body }) => reply(200, await discovery.categories(body))),
    route(operations.publicDiscoverProviders, async ({ body }) => reply(200, await findProviders(body))),
  ];
}

/** Part of an explanation, also when nothing was found. */
function servicesOf({ services }: Found) {
  return services === undefined ? {} : { services: [...services] };
}

/** One of our clients; any other gets exactly what the contract says. */
function knowsOfHidden(client: ClientKind | undefined): boolean {
  return client === "cli" || client === "mcp" || client === "web";
}

/** In the body or in the query. */
function asksToExplain(...asked: readonly (boolean | undefined)[]): boolean {
  return asked.includes(true);
}

/** Only the author's hints. docs/contract.md, "Kinds of hints". */
function toDiscoverResult(
  { entry, score, metrics, unavailability }: Match,
  client: ClientKind | undefined,
): DiscoverResult {
  const hints = renderHints(endpointHints(entry), client);
  return {
    provider: entry.provider.provider,
    providerName: entry.provider.displayName,
    endpoint: entry.path,
    description: entry.description,
    price: toPublicPrice(entry.price),
    score,
    tags: [...entry.tags],
    metrics,
    ...(hints !== undefined && { hints }),
    ...(unavailability !== undefined && { unavailable: toWireReason(unavailability, true) }),
  };
}

/** The providers of the matches, ordered by their best match; the count includes all their enabled endpoints. */
function providersOf(matches: readonly Match[], catalog: Pick<Catalog, "entriesOf">): PublicProviderEntry[] {
  const providers = new Map(matches.map(({ entry }) => [entry.provider.provider, entry.provider]));
  return [...providers.values()].map((provider) =>
    toProviderEntry(provider, catalog.entriesOf(provider.provider).length),
  );
}
