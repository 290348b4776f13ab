import { schemaCompiler } from "../../catalog/input/schema-compiler.ts";
import { MAX_HOPS } from "../../manifest/parts/market-endpoint.ts";
import { namesHost } from "../../providers/sending/address-guard.ts";
import type { ImportChoices, ImportedProvider, SkippedOperation } from "../conversion/imported-provider.ts";
import { cleanLine, cleanText } from "../conversion/clean-text.ts";
import { ConversionMeter } from "../conversion/conversion-meter.ts";
import { ImportNotes } from "../conversion/import-notes.ts";
import { given, listOf, membersOf, textOf } from "../conversion/members.ts";
import { webAddress } from "../conversion/web-address.ts";
import { convertInputSchema, type ToolSchemaTools } from "../mcp/convert-tool-schema.ts";
import type { ToolAccess } from "../mcp/convert-tools.ts";
import { convertPrice } from "./convert-price.ts";
import type { MarketListing } from "./read-market.ts";

/** How the owner wants a market's providers to be named, priced and reached here. */
export interface MarketTaken {
  /** Before every slug. */
  readonly prefix: string;
  readonly markupPercent: number;
  /** Also what the market has from other markets. */
  readonly isThrough: boolean;
}

type Endpoint = Readonly<Record<string, unknown>>;

const MAX_NAME = 80;
const MOST_TAGS = 20;
const MOST_NOTES = 10;
const MOST_EXAMPLES = 3;
const MOST_PAGES = 1_000;
const MOST_AGE_SECONDS = 31_536_000;
/** As large as an answer may be at all: what the market took for its provider's has to get through. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Sentences that our own service adds to an inspection, and adds here by itself. */
const OWN_NOTES = /^(?:Runs in the background:|The price is |Cannot be run now:|Written from the provider)/;
const OWN_ASKS = "Answers questions such as: ";

/** One provider of a market as a provider of the catalog. Pure. docs/markets.md, "What is taken over" */
export function convertMarket(
  listing: MarketListing,
  taken: MarketTaken,
  { choices, access }: { readonly choices: ImportChoices; readonly access: ToolAccess },
): ImportedProvider {
  const tools: ToolSchemaTools = { meter: new ConversionMeter(), notes: new ImportNotes(), compiler: schemaCompiler() };
  const endpoints = new Map<string, Endpoint>();
  const skipped: SkippedOperation[] = [];
  for (const told of listing.endpoints) {
    const path = textOf(told, "endpoint") ?? "";
    const converted = convertEndpoint(told, path, { listing, taken, tools });
    if (typeof converted === "string") {
      skipped.push({ operation: cleanLine(path, MAX_NAME) || "(no path)", why: converted });
    } else endpoints.set(path, converted);
  }
  return {
    manifest: { ...providerOf(listing, taken, { choices, access }), endpoints: Object.fromEntries(endpoints) },
    comments: [],
    skipped,
    notes: tools.notes.list(),
    pricesToSet: [],
  };
}

function providerOf(
  listing: MarketListing,
  { prefix, markupPercent }: MarketTaken,
  { choices, access }: { readonly choices: ImportChoices; readonly access: ToolAccess },
) {
  const { authorization, allowPrivateHosts } = access;
  const { baseUrl, ref, sha256, provider } = listing;
  const { protocol, hostname, host, port } = new URL(baseUrl);
  const isPrivate = protocol === "http:" || namesHost(allowPrivateHosts, hostname, port === "" ? "443" : port);
  const name = cleanLine(listing.displayName, MAX_NAME) || cleanLine(provider, MAX_NAME) || "Provider";
  return {
    mkt: 1 as const,
    provider: choices.slug ?? marketSlug(prefix, provider),
    displayName: `${name} (via ${host})`,
    ...given({ description: cleanText(listing.description, 500) || undefined }),
    ...(authorization !== undefined && {
      secrets: { key: { env: authorization.variable, description: `A key of the market ${host}` } },
      verify: { method: "GET", path: "/v1/auth/whoami" },
    }),
    http: {
      baseUrl,
      ...(authorization !== undefined && { auth: { type: "bearer", token: "${secret.key}" } }),
      ...(isPrivate && { allowPrivateNetwork: true }),
      maxResponseBytes: MAX_RESPONSE_BYTES,
    },
    ...(markupPercent > 0 && { markup: { percent: markupPercent } }),
    source: { kind: "market", ref, sha256 },
  };
}

/** The endpoint, or why it is left out. */
function convertEndpoint(
  told: Endpoint,
  path: string,
  {
    listing,
    taken,
    tools,
  }: { readonly listing: MarketListing; readonly taken: MarketTaken; readonly tools: ToolSchemaTools },
): Endpoint | string {
  if (!/^\/[!-~]{0,400}$/.test(path)) return "its path has characters that a path should not have";
  const unavailable = membersOf(told["unavailable"])["reason"];
  if (unavailable !== undefined) {
    return `it cannot be run at the market now (${cleanLine(unavailable, 40)}); once it can, mkt catalog drift says so`;
  }
  const through = listOf(told, "via").map((host) => cleanLine(host, 200));
  if (through.length > 0 && !taken.isThrough) {
    return `the market has it from ${through[0]}: add that market itself, or take it over both with --through`;
  }
  if (through.length >= MAX_HOPS) return `there are ${through.length} markets behind this one, which is too far`;
  const price = convertPrice(membersOf(told)["price"]);
  if (typeof price === "string") return price;
  const { notes, asks } = notesOf(told);
  return given({
    displayName: cleanLine(told["summary"], MAX_NAME) || undefined,
    description: cleanText(told["description"]) || undefined,
    docUrl: webAddress(told["docUrl"]),
    tags: someLines(listOf(told, "tags"), MOST_TAGS),
    notes: notes.length > 0 ? notes : undefined,
    asks: asks.length > 0 ? asks : undefined,
    request: { run: runOf(told, path, listing, through) },
    input: inputOf(told, path, tools),
    price,
    reuse: reuseOf(told, listing),
    examples: examplesOf(told),
  });
}

/** How old an answer of an earlier run may be, as the market's own author allows it. */
function reuseOf(told: Endpoint, { additions }: MarketListing) {
  const maxAgeSeconds = additions ? integerWithin(told["maxAge"], 1, MOST_AGE_SECONDS) : undefined;
  return maxAgeSeconds === undefined ? undefined : { maxAgeSeconds };
}

function integerWithin(value: unknown, least: number, most: number): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most
    ? value
    : undefined;
}

function runOf(told: Endpoint, path: string, { provider, additions }: MarketListing, through: readonly string[]) {
  const { mode } = told;
  return given({
    provider,
    endpoint: path,
    mode: mode === "sync" ? "sync" : undefined,
    deadlineMs: integerWithin(told["deadlineMs"], 1_000, 86_400_000),
    maxPages: additions ? integerWithin(told["maxPages"], 2, MOST_PAGES) : undefined,
    additions: additions ? undefined : false,
    through: through.length > 0 ? through : undefined,
  });
}

function inputOf(told: Endpoint, path: string, tools: ToolSchemaTools) {
  const sections = ["pathParams", "queryParams", "body"].flatMap((section) => {
    const schema = membersOf(told["input"])[section];
    const converted = schema === undefined ? undefined : convertInputSchema(path, schema, tools);
    return converted === undefined ? [] : [[section, converted] as const];
  });
  return sections.length === 0 ? undefined : Object.fromEntries(sections);
}

function notesOf(told: Endpoint): { readonly notes: readonly string[]; readonly asks: readonly string[] } {
  const all = listOf(told, "notes").filter((note) => typeof note === "string");
  const asks = all
    .filter((note) => note.startsWith(OWN_ASKS))
    .flatMap((note) => note.slice(OWN_ASKS.length).split(" · "))
    .map((ask) => cleanLine(ask, 200));
  const notes = all.filter((note) => !OWN_NOTES.test(note) && !note.startsWith(OWN_ASKS));
  return { notes: notes.slice(0, MOST_NOTES).map((note) => cleanText(note, 500)), asks: asks.slice(0, MOST_NOTES) };
}

function examplesOf(told: Endpoint) {
  const examples = listOf(told, "examples")
    .slice(0, MOST_EXAMPLES)
    .flatMap((example, index) => {
      const { name, input } = membersOf(example);
      return [{ name: cleanLine(name, MAX_NAME) || `example ${index + 1}`, input: membersOf(input) }];
    });
  return examples.length === 0 ? undefined : examples;
}

function someLines(values: readonly unknown[], most: number): readonly string[] | undefined {
  const lines = values.slice(0, most).flatMap((value) => cleanLine(value, 60) || []);
  return lines.length === 0 ? undefined : lines;
}

/** At most 60 characters of lower-case letters, digits and single hyphens. */
export function marketSlug(prefix: string, provider: string): string {
  const slug = `${prefix}-${provider}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return slug.slice(0, 60).replace(/-$/, "") || "market";
}

/** `data.example.org` → `data-example`; an address without a name is just a market. */
export function defaultPrefix(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const labels = hostname.split(".");
  const isName = labels.length > 1 && /[a-z]/i.test(labels.at(-1) ?? "");
  const prefix = isName
    ? labels
        .slice(0, -1)
        .filter((label) => label !== "www")
        .join("-")
    : "";
  return marketSlug(prefix, "").slice(0, 25).replace(/-$/, "");
}
