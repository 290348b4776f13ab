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

/** How an answer is told. */
interface Telling {
  readonly explains: boolean;
  /** Only who knows of it, or asks for more than the contract has, is told of what is hidden. */
  readonly tellsHidden: boolean;
  /** Only callers with a credential are told the names of secrets. */
  readonly namesSecrets: boolean;
}

/** Discovery for callers with a workspace and, the same without hints and scores, for everyone. */
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

/** Part of what is explained, also where nothing was found. */
function servicesOf({ services }: Found) {
  return services === undefined ? {} : { services: [...services] };
}

/** A client of ours; to any other an answer is what the contract says, and no more. */
function knowsOfHidden(client: ClientKind | undefined): boolean {
  return client === "cli" || client === "mcp" || client === "web";
}

/** By the body or by the query. */
function asksToExplain(...asked: readonly (boolean | undefined)[]): boolean {
  return asked.includes(true);
}

/** Hints are those of the author alone. docs/contract.md, "Kinds of hints". */
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

/** The providers of the matches, in the order of their best; the count is that of all their enabled endpoints. */
function providersOf(matches: readonly Match[], catalog: Pick<Catalog, "entriesOf">): PublicProviderEntry[] {
  const providers = new Map(matches.map(({ entry }) => [entry.provider.provider, entry.provider]));
  return [...providers.values()].map((provider) =>
    toProviderEntry(provider, catalog.entriesOf(provider.provider).length),
  );
}
