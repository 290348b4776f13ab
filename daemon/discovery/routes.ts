import type { PublicProviderEntry } from "../../shared/contract/catalog.ts";
import type { DiscoverResult } from "../../shared/contract/discovery.ts";
import { operations } from "../../shared/contract/index.ts";
import { renderHints } from "../../shared/hints/render-hints.ts";
import { toPublicPrice } from "../billing/public-price.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { authoredHints, toEndpointCard, toProviderEntry } from "../catalog/public-cards.ts";
import type { ClientKind } from "../http/client-kind.ts";
import { reply, type Route, route } from "../http/route.ts";
import type { Discovery, DiscoverQuestion, Match } from "./discover.ts";

const LEGACY_MAX_LIMIT = 50;
const DEFAULT_LIMIT = 10;

export interface DiscoveryRoutesParts {
  readonly discovery: Discovery;
  readonly catalog: Pick<Catalog, "entriesOf">;
}

interface EndpointsQuestion extends DiscoverQuestion {
  readonly limit?: number | undefined;
  readonly explain?: boolean | undefined;
}

/** Discovery for callers with a workspace and, the same without hints and scores, for everyone. */
export function discoveryRoutes({ discovery, catalog }: DiscoveryRoutesParts): Route[] {
  const findEndpoints = (question: EndpointsQuestion) => {
    const matches = discovery.discover(question);
    const shown = matches.slice(0, Math.min(question.limit ?? DEFAULT_LIMIT, discovery.poolSize()));
    return {
      items: shown.map(({ entry }) => toEndpointCard(entry)),
      total: matches.length,
      ...(question.explain === true && { explanations: discovery.explain(question.q, shown) }),
    };
  };
  const findProviders = (question: DiscoverQuestion) => ({
    items: providersOf(discovery.discover(question), catalog),
  });
  return [
    route(operations.discover, ({ body, client }) => {
      const query = body.q ?? body.query ?? "";
      const matches = discovery.discover({ ...body, q: query }).slice(0, Math.min(body.limit, LEGACY_MAX_LIMIT));
      const explanations = body.explain === true ? discovery.explain(query, matches) : [];
      const results = matches.map((match, place) => {
        const explanation = explanations[place];
        return { ...toDiscoverResult(match, client), ...(explanation !== undefined && { explanation }) };
      });
      return reply(200, { results, query, count: results.length });
    }),
    route(operations.discoverEndpoints, ({ body }) => reply(200, findEndpoints(body))),
    route(operations.discoverCategories, ({ body }) => reply(200, discovery.categories(body))),
    route(operations.discoverProviders, ({ body }) => reply(200, findProviders(body))),
    route(operations.publicDiscoverEndpoints, ({ body }) => reply(200, findEndpoints(body))),
    route(operations.publicDiscoverCategories, ({ body }) => reply(200, discovery.categories(body))),
    route(operations.publicDiscoverProviders, ({ body }) => reply(200, findProviders(body))),
  ];
}

/** Hints are those of the author alone. Spec: DiscoverResult; contract semantics, 11. */
function toDiscoverResult({ entry, score, metrics }: Match, client: ClientKind | undefined): DiscoverResult {
  const hints = renderHints(authoredHints(entry), client);
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
  };
}

/** The providers of the matches, in the order of their best; the count is that of all their enabled endpoints. */
function providersOf(matches: readonly Match[], catalog: Pick<Catalog, "entriesOf">): PublicProviderEntry[] {
  const providers = new Map(matches.map(({ entry }) => [entry.provider.provider, entry.provider]));
  return [...providers.values()].map((provider) =>
    toProviderEntry(provider, catalog.entriesOf(provider.provider).length),
  );
}
