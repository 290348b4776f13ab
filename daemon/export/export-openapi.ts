import { countWords } from "../../shared/count-words.ts";
import { operations } from "../../shared/contract/index.ts";
import { toOpenApiDocument } from "../../shared/openapi.ts";
import { toPublicPrice } from "../billing/public-price.ts";
import type { CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import { complainAboutInput, normalizeInput } from "../catalog/input/input-form.ts";
import type { JsonSchema } from "../manifest/json-schema-walk.ts";
import type { ExportedEntry } from "./entry-names.ts";
import type { ExportedCatalog } from "./exported-catalog.ts";
import { describe, type PriceWords, sellerOf } from "./export-tools.ts";
import { toManifestPrice, toPaymentInfo } from "./payment-info.ts";
import { compositeSchema, hasReferences, neededSections, rebaseReferences, sectionsOf } from "./section-schemas.ts";

export type OpenApiDocument = Readonly<Record<string, unknown>>;

export interface OpenApiExportOptions {
  /** The address of the daemon that will run the endpoints. */
  readonly serverUrl: string;
  readonly priceWords: PriceWords;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The catalog as an OpenAPI 3.1 document with which a daemon can be called directly. Every endpoint is a separate
 * operation, all of them at the one address that runs endpoints; the part after `#` in their paths distinguishes them
 * and is never sent. Pure. See docs/decisions/2026-11-21-what-an-export-describes.md.
 */
export function exportOpenApi(catalog: ExportedCatalog, options: OpenApiExportOptions): OpenApiDocument {
  const { startRun, getRun } = operations;
  const contract = toOpenApiDocument({ startRun, getRun }, { version: catalog.version, servers: [options.serverUrl] });
  const paths = contract["paths"] as Readonly<Record<string, Readonly<Record<string, Json>>>>;
  const run = paths[startRun.path]?.["post"] ?? {};
  const components = contract["components"] as Readonly<Record<string, Json>>;
  const schemas = new Map<string, JsonSchema>();
  const described = catalog.entries.map(
    (exported) =>
      [`${startRun.path}#${exported.name}`, { post: toOperation(exported, run, schemas, options) }] as const,
  );
  const providers = new Map(catalog.entries.map(({ entry }) => [entry.provider.provider, entry.provider]));
  return {
    openapi: "3.1.0",
    info: {
      title: "Catalog of a data marketplace",
      version: catalog.version,
      description:
        `Endpoints of ${countWords(providers.size, "provider")}, each with its price, run through one service with one key. ` +
        "All are called at the same address: the part after # in a path names the endpoint and is not sent.",
    },
    servers: [{ url: options.serverUrl }],
    tags: [...providers.values()].map(toTag),
    paths: { ...Object.fromEntries(described), [getRun.path]: paths[getRun.path] },
    components: {
      ...components,
      responses: run["responses"] === undefined ? {} : sharedResponses(run["responses"] as Json),
      schemas: { ...components["schemas"], ...Object.fromEntries(schemas) },
    },
  };
}

function toOperation(
  { name, entry }: ExportedEntry,
  run: Json,
  schemas: Map<string, JsonSchema>,
  { priceWords }: OpenApiExportOptions,
): Json {
  const words = priceWords(toPublicPrice(entry.price), sellerOf(entry));
  const payment = toPaymentInfo(entry.price, words);
  return {
    operationId: name,
    tags: [entry.provider.provider],
    summary: entry.displayName,
    description: describe(entry, words),
    ...(entry.docUrl !== undefined && { externalDocs: { url: entry.docUrl } }),
    ...(entry.deprecated !== undefined && { deprecated: true }),
    ...(payment !== undefined && { "x-payment-info": payment }),
    "x-mkt-provider": entry.provider.provider,
    "x-mkt-endpoint": entry.path,
    // The path that our importer gives it.
    "x-mkt-path": `/${entry.provider.provider}${entry.path}`,
    "x-mkt-price": toManifestPrice(entry.price),
    // The key determines the workspace; other headers of the service are for its own clients.
    parameters: [{ $ref: "#/components/parameters/IdempotencyKey" }],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: toRequest({ name, entry }, schemas),
          ...examplesOf(entry),
        },
      },
    },
    responses: Object.fromEntries(
      Object.keys(run["responses"] ?? {}).map((status) => [
        status,
        { $ref: `#/components/responses/${responseName(status)}` },
      ]),
    ),
    security: run["security"],
  };
}

/** The request to run it: the endpoint, its input in composite form, and its maximum cost. */
function toRequest({ name, entry }: ExportedEntry, schemas: Map<string, JsonSchema>): JsonSchema {
  const sections = sectionsOf(entry.input);
  const needed = neededSections(sections);
  const placed = sections.map(([section, schema]) => {
    if (!hasReferences(schema)) return [section, schema] as const;
    // References in a schema are relative to the whole document, so such a schema becomes a component of it.
    const component = `${name}.${section}`;
    const place = `#/components/schemas/${component}`;
    schemas.set(component, rebaseReferences(schema, place));
    return [section, { $ref: place }] as const;
  });
  return {
    type: "object",
    properties: {
      provider: { type: "string", const: entry.provider.provider, default: entry.provider.provider },
      endpoint: { type: "string", const: entry.path, default: entry.path },
      ...(sections.length > 0 && { input: compositeSchema(placed, needed) }),
      maxCost: {
        $ref: "#/components/schemas/Money",
        description: "Refused with 402, before any call, if the run could cost more.",
      },
      ...(entry.async !== undefined && {
        wait: {
          type: "number",
          minimum: 0,
          maximum: 60,
          description: "Seconds to wait for the end before answering 202.",
        },
      }),
    },
    required: ["provider", "endpoint", ...(needed.length > 0 ? ["input"] : [])],
    additionalProperties: false,
  };
}

/** Inputs from examples, in the composite form of the schema. */
function examplesOf(entry: ExportedEntry["entry"]): Json {
  const usable = entry.examples.filter(({ input }) => complainAboutInput(entry, input) === undefined);
  if (usable.length === 0) return {};
  const examples = usable.map(({ name, input }, index) => {
    const value = {
      provider: entry.provider.provider,
      endpoint: entry.path,
      ...(sectionsOf(entry.input).length > 0 && { input: normalizeInput(entry, input) }),
    };
    return [`example${index + 1}`, { summary: name, value }] as const;
  });
  return { examples: Object.fromEntries(examples) };
}

function sharedResponses(responses: Json): Json {
  return Object.fromEntries(Object.entries(responses).map(([status, response]) => [responseName(status), response]));
}

function responseName(status: string): string {
  return `Run${status}`;
}

function toTag({ provider, displayName, description, url }: CatalogProvider): Json {
  const words = [displayName, ...(description === undefined ? [] : [description])].join(": ");
  return { name: provider, description: words, ...(url !== undefined && { externalDocs: { url } }) };
}
