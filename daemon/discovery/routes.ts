import type { PublicProviderEntry } from "../../shared/contract/catalog.ts";
import type { DiscoverResult } from "../../shared/contract/discovery.ts";
import { operations } from "../../shared/contract/index.ts";
import { renderHints } from "../../shared/hints/render-hints.ts";
import { toPublicPrice } from "../billing/public-price.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { endpointHints, toEndpointCard, toProviderEntry } from "../catalog/public-cards.ts";
import type { ClientKind } from "../../shared/hints/client-kind.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import { grants } from "../../shared/contract/scope-grants.ts";
import type { Asker } from "./use/learning.ts";
import type { KeptUses } from "./use/keep-uses.ts";
import type { Discovery } from "./discover.ts";
import type { DiscoverQuestion, Found, Match } from "./found.ts";
import { confidenceOfMatch } from "./ranking/confidence/confidence-of.ts";
import { weakAnswerHints } from "./weak-answer-hints.ts";
import { toUnavailableMatches, toWireReason } from "./unavailable-matches.ts";

const LEGACY_MAX_LIMIT = 50;
const DEFAULT_LIMIT = 10;

export interface DiscoveryRoutesParts {
  readonly discovery: Discovery;
  readonly catalog: Pick<Catalog, "categories" | "entriesOf">;
  readonly uses: Pick<KeptUses, "learning" | "forget">;
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
export function discoveryRoutes({ discovery, catalog, uses }: DiscoveryRoutesParts): Route[] {
  const note = ({ asker }: DiscoverQuestion, { stems }: Found, shown: readonly Match[]) => {
    if (asker === undefined) return;
    uses.learning?.note(
      asker,
      stems,
      shown.map(({ entry }) => entry),
    );
  };
  async function findEndpoints(question: EndpointsQuestion, { explains, tellsHidden, namesSecrets }: Telling) {
    const found = await discovery.find(question);
    const unavailable = tellsHidden ? toUnavailableMatches(found, { namesSecrets }) : undefined;
    const shown = found.matches.slice(0, Math.min(question.limit ?? DEFAULT_LIMIT, discovery.poolSize()));
    note(question, found, shown);
    return {
      items: shown.map(({ entry }) => toEndpointCard(entry)),
      total: found.matches.length,
      ...(explains && { explanations: discovery.explain(found, shown), ...servicesOf(found) }),
      ...confidenceOfFirst(shown, explains || question.also !== undefined),
      ...alsoOf(found, question.also),
      ...(unavailable !== undefined && { unavailable }),
    };
  }
  const findProviders = async (question: DiscoverQuestion) => ({
    items: providersOf(await discovery.discover(question), catalog),
  });
  return [
    route(operations.discover, async ({ body, query: { explain }, client, caller, pause }) => {
      const question = { ...body, ...askedBy(caller), mayRephrase: true, pause };
      const query = body.q ?? body.query ?? "";
      const limit = Math.min(body.limit, LEGACY_MAX_LIMIT, discovery.poolSize());
      const found = await discovery.find({ ...question, q: query });
      const matches = found.matches.slice(0, limit);
      note({ ...question, q: query }, found, matches);
      const explains = asksToExplain(body.explain, explain);
      const unavailable =
        explains || knowsOfHidden(client) ? toUnavailableMatches(found, { namesSecrets: true }) : undefined;
      const hints =
        explains || knowsOfHidden(client) ? renderHints(weakAnswerHints(found, catalog.categories), client) : undefined;
      const explanations = explains ? discovery.explain(found, matches) : [];
      const results = matches.map((match, place) => {
        const explanation = explanations[place];
        return { ...toDiscoverResult(match, client), ...(explanation !== undefined && { explanation }) };
      });
      return reply(200, {
        results,
        query,
        count: results.length,
        ...(hints !== undefined && { hints }),
        ...alsoOf(found, body.also),
        ...(explains && servicesOf(found)),
        ...(unavailable !== undefined && { unavailable }),
      });
    }),
    route(operations.discoverEndpoints, async ({ body, query, client, caller, pause }) => {
      const explains = asksToExplain(body.explain, query.explain);
      const telling = { explains, tellsHidden: explains || knowsOfHidden(client), namesSecrets: true };
      return reply(200, await findEndpoints({ ...body, ...askedBy(caller), mayRephrase: true, pause }, telling));
    }),
    route(operations.discoverCategories, async ({ body, caller, pause }) =>
      reply(200, await discovery.categories({ ...body, ...askedBy(caller), mayRephrase: true, pause })),
    ),
    route(operations.discoverProviders, async ({ body, caller, pause }) =>
      reply(200, await findProviders({ ...body, ...askedBy(caller), mayRephrase: true, pause })),
    ),
    route(operations.forgetLearned, async ({ caller }) => reply(200, { erased: await uses.forget(askerOf(caller)) })),
    route(operations.publicDiscoverEndpoints, async ({ body, query, client, pause }) => {
      const explains = asksToExplain(body.explain, query.explain);
      const telling = { explains, tellsHidden: explains || knowsOfHidden(client), namesSecrets: false };
      return reply(200, await findEndpoints({ ...body, pause }, telling));
    }),
    route(operations.publicDiscoverCategories, async ({ body, pause }) =>
      reply(200, await discovery.categories({ ...body, pause })),
    ),
    route(operations.publicDiscoverProviders, async ({ body, pause }) =>
      reply(200, await findProviders({ ...body, pause })),
    ),
  ];
}

function askedBy(caller: WorkspaceCaller) {
  return { viewer: caller.workspaceId, asker: askerOf(caller) };
}

/** What it learns from, and what it may erase: the runs that it may read. docs/contract.md, "Learned from use". */
function askerOf({ workspaceId, actor, ownOnly, scopes }: WorkspaceCaller): Asker {
  const readsAll = ownOnly !== true && grants(scopes, "runs:read");
  return { workspaceId, actor, ...(!readsAll && { onlyActor: actor }) };
}

/** Part of an explanation, also when nothing was found. */
function servicesOf({ services }: Found) {
  return services === undefined ? {} : { services: [...services] };
}

/** So that a caller sees that the service knows of rephrasings, and which were asked. */
function alsoOf({ phrasings: [, ...also] }: Found, sent: readonly string[] | undefined) {
  return also.length === 0 && sent === undefined ? {} : { also };
}

function confidenceOfFirst([first]: readonly Match[], isTold: boolean) {
  if (first === undefined || !isTold) return {};
  return { confidence: confidenceOfMatch(first) };
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
function toDiscoverResult(match: Match, client: ClientKind | undefined): DiscoverResult {
  const { entry, score, metrics, unavailability } = match;
  const hints = renderHints(endpointHints(entry), client);
  return {
    provider: entry.provider.provider,
    providerName: entry.provider.displayName,
    endpoint: entry.path,
    description: entry.description,
    price: toPublicPrice(entry.price),
    score,
    confidence: confidenceOfMatch(match),
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
