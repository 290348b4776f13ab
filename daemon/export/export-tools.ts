import type { PublicPrice } from "../../shared/contract/price.ts";
import { toPublicPrice } from "../billing/public-price.ts";
import type { JsonSchema } from "../manifest/json-schema-walk.ts";
import type { ExportedEntry } from "./entry-names.ts";
import type { ExportedCatalog } from "./exported-catalog.ts";
import { compositeSchema, flatSchema, neededSections, rebaseReferences, sectionsOf } from "./section-schemas.ts";

/**
 * A tool as MCP lists it. `_meta` has the call to make: `POST /v1/run` with provider, endpoint and the arguments as
 * input.
 */
export interface ExportedTool {
  readonly name: string;
  readonly title: string;
  /** With its price in words. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: true;
  };
  readonly _meta: {
    readonly "mkt/provider": string;
    readonly "mkt/endpoint": string;
    readonly "mkt/price": PublicPrice;
  };
}

/** `seller`: the provider of the endpoint, which may be the one that bills. */
export type PriceWords = (
  price: PublicPrice,
  seller: { readonly provider: string; readonly providerName: string },
) => string;

/** The endpoints of a catalog as MCP tools, in the form of a `tools/list` answer. Pure. */
export function exportTools({ entries }: ExportedCatalog, priceWords: PriceWords): { readonly tools: ExportedTool[] } {
  return { tools: entries.map((exported) => toTool(exported, priceWords)) };
}

function toTool({ name, entry }: ExportedEntry, priceWords: PriceWords): ExportedTool {
  const price = toPublicPrice(entry.price);
  const words = priceWords(price, sellerOf(entry));
  return {
    name,
    title: `${entry.provider.displayName}: ${entry.displayName}`,
    description: describe(entry, words),
    inputSchema: toolInput(entry),
    annotations: annotationsOf(entry),
    _meta: { "mkt/provider": entry.provider.provider, "mkt/endpoint": entry.path, "mkt/price": price },
  };
}

export function sellerOf({ provider }: ExportedEntry["entry"]): Parameters<PriceWords>[1] {
  return { provider: provider.provider, providerName: provider.displayName };
}

/** The text by which an agent chooses: what it does, what it answers, what it costs. */
export function describe({ description, asks, notes, deprecated }: ExportedEntry["entry"], price: string): string {
  return [
    ...(deprecated === undefined ? [] : [`Deprecated: ${deprecated}`]),
    ...(description === "" ? [] : [description]),
    ...(asks.length === 0 ? [] : [`Answers questions such as: ${asks.join(" · ")}`]),
    ...notes,
    `Price: ${price}.`,
  ].join("\n");
}

function toolInput({ input }: ExportedEntry["entry"]): JsonSchema {
  const sections = sectionsOf(input);
  const flat = flatSchema(sections);
  if (flat !== undefined) return flat;
  const placed = sections.map(
    ([section, schema]) => [section, rebaseReferences(schema, `#/properties/${section}`)] as const,
  );
  return compositeSchema(placed, neededSections(sections));
}

function annotationsOf({ request, idempotent, effects = [] }: ExportedEntry["entry"]): ExportedTool["annotations"] {
  const isRead = request.tool === undefined && (request.method === "GET" || request.method === "HEAD");
  const isRemoval = request.method === "DELETE" || effects.includes("deletes");
  return {
    ...(isRead && effects.length === 0 && { readOnlyHint: true }),
    ...(isRemoval && { destructiveHint: true }),
    ...(idempotent && { idempotentHint: true }),
    openWorldHint: true,
  };
}
