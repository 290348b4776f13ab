import { isRecord } from "../../shared/is-record.ts";
import { memberOf } from "../../shared/member-of.ts";
import { errorText } from "../../shared/error-text.ts";
import { ImportRefused } from "./conversion/imported-provider.ts";
import { type ImportedDocument, type ImportReport, NO_CHOICES } from "./import-catalog.ts";
import { ImportFolder, type KnownManifest } from "./import-folder.ts";
import { defaultPrefix, marketSlug, type MarketTaken } from "./market/convert-market.ts";
import { type MarketCatalog, type MarketListing, readMarket } from "./market/read-market.ts";
import type { McpAccess } from "./mcp/read-mcp-server.ts";
import type { DocumentImporter, ImportRecord, MarketSource } from "./steps/import-steps.ts";

/** The options of the command. */
export interface AddMarketRequest {
  readonly address: string;
  /** The catalog folder in which provider files are written. */
  readonly out: string;
  /** Slugs there; empty: all. */
  readonly providers: readonly string[];
  /** Before every slug; absent: from the name of the host, or as it was before. */
  readonly prefix?: string;
  /** Percent; absent: none, or as it was before. */
  readonly markupPercent?: number;
  /** Also what the market has from other markets. */
  readonly isThrough: boolean;
  readonly dryRun: boolean;
  readonly access: McpAccess;
  /** Such as `2026-11-21`. */
  readonly today: string;
}

export interface AddMarketParts {
  readonly importer: DocumentImporter;
  readonly bundledDir?: string;
}

/** Beside the report of an import. */
export interface AddMarketReport extends ImportReport {
  readonly market: string;
  /** Endpoints that make or release resources, which can only be run at the market itself. */
  readonly leftOut: number;
  /** Providers of an earlier import that the market no longer lists; their files stay. */
  readonly gone: readonly string[];
}

/**
 * `mkt catalog add-market`: every provider of a market becomes a provider of the catalog. Doing it again refreshes them,
 * and keeps a person's edits. Throws ImportRefused when the market cannot be read. docs/markets.md
 */
export async function addMarket(request: AddMarketRequest, parts: AddMarketParts): Promise<AddMarketReport> {
  const market = await readMarket(request.address, request.access, { providers: request.providers });
  const folder = await ImportFolder.open(request.out, parts.bundledDir);
  const documents: ImportedDocument[] = [];
  for (const listing of market.providers) documents.push(await takeProvider(listing, { request, parts, folder }));
  return {
    market: market.baseUrl,
    leftOut: market.leftOut,
    gone: request.providers.length > 0 ? [] : goneFrom(market, folder),
    documents,
    passedOver: 0,
    imported: documents.filter(({ error }) => error === undefined).length,
    dryRun: request.dryRun,
  };
}

function goneFrom({ baseUrl, providers }: MarketCatalog, folder: ImportFolder): string[] {
  const listed = new Set(providers.map(({ ref }) => ref));
  return folder.manifests.flatMap(({ slug, source }) =>
    source?.kind === "market" && source.ref.startsWith(`${baseUrl}#`) && !listed.has(source.ref) ? [slug] : [],
  );
}

interface Taking {
  readonly request: AddMarketRequest;
  readonly parts: AddMarketParts;
  readonly folder: ImportFolder;
}

/** Whatever happens with one provider, the others are still taken. */
async function takeProvider(listing: MarketListing, { request, parts, folder }: Taking): Promise<ImportedDocument> {
  try {
    const known = folder.findBySource(listing.ref);
    const record = known === undefined ? undefined : await folder.readRecord(known.slug);
    const prefix = request.prefix ?? defaultPrefix(listing.baseUrl);
    const markupPercent = request.markupPercent ?? markupOf(record);
    const taken = { prefix, markupPercent, isThrough: request.isThrough || isThrough(record) };
    const source = marketSource(listing, taken, request.access);
    const slug = known?.slug ?? folder.freeSlug(marketSlug(prefix, listing.provider));
    const composed = await composeProvider(source, {
      slug,
      known,
      folder,
      today: request.today,
      importer: parts.importer,
    });
    const manifest = request.dryRun ? folder.fileOf(slug, composed.isJson) : await folder.write(slug, composed);
    folder.remember(slug, composed.isJson, { kind: "market", ref: listing.ref });
    const { provider, endpoints, skipped, ...summary } = composed.summary;
    return { file: listing.ref, provider, manifest, endpoints: endpoints.length, skipped, summary };
  } catch (error) {
    const { rule, message } =
      error instanceof ImportRefused
        ? error
        : new ImportRefused("unforeseen", `Something went wrong: ${errorText(error)}`);
    return { file: listing.ref, endpoints: 0, skipped: [], error: { rule, message } };
  }
}

export interface ComposeProviderParts {
  readonly slug: string;
  readonly known: KnownManifest | undefined;
  readonly folder: ImportFolder;
  readonly importer: DocumentImporter;
  readonly today: string;
}

/** The file of one provider of a market, merged into the one that is there. Throws ImportRefused. */
export async function composeProvider(
  source: MarketSource,
  { slug, known, folder, importer, today }: ComposeProviderParts,
) {
  const choices = { ...NO_CHOICES, slug };
  await importer.convert({ source, choices, passesOver: false });
  const existing = known === undefined ? {} : { existing: await folder.readExisting(known) };
  return await importer.compose({ slug, choices, today, ...existing });
}

/** What a conversion gets; the token of the market stays here. */
export function marketSource(
  listing: MarketListing,
  taken: MarketTaken,
  { allowPrivateHosts, authorization }: McpAccess,
): MarketSource {
  const variable = authorization?.variable;
  const access = { allowPrivateHosts, ...(variable !== undefined && { authorization: { variable } }) };
  return { kind: "market", listing, taken, access };
}

/** As the last import had it. */
export function takenBefore(record: ImportRecord | undefined, prefix: string): MarketTaken {
  return { prefix, markupPercent: markupOf(record), isThrough: isThrough(record) };
}

function markupOf(record: ImportRecord | undefined): number {
  const percent = memberOf(memberOf(record?.manifest, "markup"), "percent");
  return typeof percent === "number" ? percent : 0;
}

function isThrough(record: ImportRecord | undefined): boolean {
  const endpoints = memberOf(record?.manifest, "endpoints");
  if (!isRecord(endpoints)) return false;
  return Object.values(endpoints).some(
    (endpoint) => memberOf(memberOf(memberOf(endpoint, "request"), "run"), "through") !== undefined,
  );
}
