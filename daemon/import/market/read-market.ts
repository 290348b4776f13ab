import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/canonical-json.ts";
import { linkSignals } from "../../../shared/linked-signal.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { memberOf } from "../../../shared/member-of.ts";
import { Connections } from "../../providers/sending/connections.ts";
import { ExchangeError } from "../../providers/sending/send.ts";
import { createRedactor } from "../../redaction/redact.ts";
import { ImportRefused } from "../conversion/imported-provider.ts";
import { listOf, textOf } from "../conversion/members.ts";
import { howToAllow } from "../documents/fetch-description.ts";
import type { McpAccess } from "../mcp/read-mcp-server.ts";
import { MarketReader } from "./market-reader.ts";

/** One provider of a market with its endpoints, as the market tells of them; all of it is untrusted. */
export interface MarketListing {
  /** The market's address and the provider's slug there, kept as `source.ref`. */
  readonly ref: string;
  readonly baseUrl: string;
  /** Its slug there. */
  readonly provider: string;
  /** SHA-256 (hex) of the endpoints, independent of the order of their members. */
  readonly sha256: string;
  /** Whether the market knows quotes, `maxCost` and idempotency keys. */
  readonly additions: boolean;
  /** Answers of `POST /v1/inspect`, without what changes from hour to hour. */
  readonly endpoints: readonly Readonly<Record<string, unknown>>[];
  /** Of one of its cards. */
  readonly displayName?: string;
  readonly description?: string;
}

/** A market and what of it was chosen. */
export interface MarketCatalog {
  readonly baseUrl: string;
  readonly providers: readonly MarketListing[];
  /** Endpoints that make or release resources, which stay at the market. */
  readonly leftOut: number;
}

/** Nobody reads through more, and each is asked for by itself. */
export const MOST_ENDPOINTS = 2_000;
/** Pages of a hundred; a list that goes on longer is given up. */
const MOST_PAGES = 200;
const AT_ONCE = 4;
const TOTAL_MS = 600_000;
/** Of an inspection: what is not about the endpoint itself, or is in words of the market's own commands. */
const PASSING = new Set(["metrics", "hints", "id"]);

export interface MarketChoice {
  /** Slugs there; empty: all. */
  readonly providers: readonly string[];
}

/**
 * Reads the catalog of a market by the operations of the contract alone: its endpoints page by page, then each by itself.
 * Count, bytes and time are limited; redirects are not followed. Throws ImportRefused. docs/markets.md, "What is read"
 */
export async function readMarket(source: string, access: McpAccess, choice: MarketChoice): Promise<MarketCatalog> {
  const base = toMarketAddress(source);
  const { allowPrivateHosts, authorization, signal } = access;
  const connections = new Connections({ allowPrivateHosts, privateHostsGranted: () => [] });
  const limit = linkSignals(signal === undefined ? [] : [signal], TOTAL_MS);
  const redactor = createRedactor(() => (authorization === undefined ? [] : [authorization.token]));
  const { guard, kept } = connections.to({ provider: "import", allowPrivateNetwork: true });
  const reader = new MarketReader(base, {
    ...(authorization !== undefined && { token: authorization.token }),
    options: { dispatcher: kept, guard, signal: limit.signal },
  });
  try {
    return redactor.json(await readAll(base, reader, choice));
  } catch (error) {
    if (error instanceof ImportRefused) throw new ImportRefused(error.rule, redactor.text(error.message), error.line);
    if (!(error instanceof ExchangeError)) throw error;
    const hint = howToAllow(error, base);
    throw new ImportRefused("market", `The market could not be read: ${redactor.text(error.message)}.${hint}`);
  } finally {
    limit.release();
    await connections.close();
  }
}

/** Throws ImportRefused for what is no plain address. */
export function toMarketAddress(source: string): URL {
  const isAddress = /^https?:\/\//i.test(source) && URL.canParse(source);
  const url = isAddress ? new URL(source) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new ImportRefused(
      "market-address",
      "A market is named by its address without credentials and query, such as https://data.example.org/mkt; its key by --key-env NAME.",
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

async function readAll(base: URL, reader: MarketReader, { providers }: MarketChoice): Promise<MarketCatalog> {
  const cards = await readCards(reader, providers);
  if (cards.length > MOST_ENDPOINTS) {
    throw new ImportRefused(
      "size",
      `The market has ${cards.length} endpoints, and at most ${MOST_ENDPOINTS} are taken at once: name providers with --provider.`,
    );
  }
  const leftOut = providers.length > 0 ? 0 : await reader.countChanging();
  const inspected = await inOrder(cards, async (card) => await reader.inspect(card));
  const bySlug = new Map<string, { card: Card; endpoint: Readonly<Record<string, unknown>> }[]>();
  cards.forEach((card, index) => {
    const endpoint = inspected[index];
    if (endpoint === undefined) return;
    bySlug.set(card.provider, [...(bySlug.get(card.provider) ?? []), { card, endpoint: withoutPassing(endpoint) }]);
  });
  const baseUrl = base.href.replace(/\/$/, "");
  const listings = [...bySlug].map(([provider, found]) => {
    const endpoints = found.map(({ endpoint }) => endpoint);
    const [first] = found;
    return {
      ref: `${baseUrl}#${provider}`,
      baseUrl,
      provider,
      sha256: createHash("sha256").update(canonicalJson(endpoints)).digest("hex"),
      additions: reader.isOfOurKind,
      endpoints,
      ...(first?.card.displayName !== undefined && { displayName: first.card.displayName }),
      ...(first?.card.description !== undefined && { description: first.card.description }),
    };
  });
  return { baseUrl, providers: listings, leftOut };
}

/** What is needed of a card. */
export interface Card {
  readonly provider: string;
  readonly endpoint: string;
  readonly displayName?: string;
  readonly description?: string;
}

async function readCards(reader: MarketReader, providers: readonly string[]): Promise<Card[]> {
  const cards = new Map<string, Card>();
  for (const provider of providers.length === 0 ? [undefined] : providers) {
    let cursor: string | undefined;
    const seen = new Set<string>();
    for (let page = 1; ; page += 1) {
      const body = await reader.page(provider, cursor);
      for (const card of listOf(body, "items").flatMap(toCard)) cards.set(`${card.provider} ${card.endpoint}`, card);
      cursor = textOf(body, "cursor");
      if (cursor === undefined || cursor === "" || seen.has(cursor)) break;
      seen.add(cursor);
      if (page < MOST_PAGES) continue;
      throw new ImportRefused(
        "size",
        `The market lists more than ${MOST_PAGES * 100} endpoints: name providers with --provider.`,
      );
    }
  }
  return [...cards.values()];
}

function toCard(value: unknown): Card[] {
  const [provider, endpoint] = [textOf(value, "provider"), textOf(value, "endpoint")];
  if (!isRecord(value) || provider === undefined || endpoint === undefined) return [];
  const [displayName, description] = [
    textOf(value, "providerDisplayName"),
    textOf(value, "providerDisplayDescription"),
  ];
  return [
    {
      provider,
      endpoint,
      ...(displayName !== undefined && { displayName }),
      ...(description !== undefined && { description }),
    },
  ];
}

function withoutPassing(endpoint: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isDown = memberOf(endpoint["unavailable"], "reason") === "outage";
  const passes = (name: string) => PASSING.has(name) || (name === "unavailable" && isDown);
  return Object.fromEntries(Object.entries(endpoint).filter(([name]) => !passes(name)));
}

/** A few at a time; the results are in the order of the items. */
async function inOrder<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let index = next++; index < items.length; index = next++) {
        results[index] = await work(items[index] as Item);
      }
    }),
  );
  return results;
}
