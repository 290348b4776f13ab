import { z } from "zod";
import { ManifestMarkup, ManifestPrice } from "./manifest-price.ts";
import { categoryPath, jsonSchema, partName, Slug, webUrl } from "./parts/values.ts";
import { Http } from "./parts/http.ts";
import { ErrorRule } from "./parts/error-rule.ts";
import { Usage } from "./parts/usage.ts";
import { Async } from "./parts/async.ts";
import { Covers } from "./parts/covers.ts";
import { Resource } from "./parts/resource.ts";
import { Verify } from "./parts/verify.ts";
import { ManifestEndpoint, PriceSource } from "./parts/endpoint.ts";

export { Auth } from "./parts/auth.ts";
export { ArrayStyle, Http, MAX_RESPONSE_BYTES, RateLimit, Retry } from "./parts/http.ts";
export { Call, FieldStyle, RequestCall } from "./parts/call.ts";
export { ErrorRule } from "./parts/error-rule.ts";
export { Usage } from "./parts/usage.ts";
export { Async } from "./parts/async.ts";
export { Pages } from "./parts/pages.ts";
export { Covers } from "./parts/covers.ts";
export { MarketEndpoint } from "./parts/market-endpoint.ts";
export { Example, RecordedAnswer } from "./parts/example.ts";
export { Resource, ResourceUse, type ResourceReference } from "./parts/resource.ts";
export { ManifestEndpoint, PriceSource } from "./parts/endpoint.ts";
export { Slug } from "./parts/values.ts";

/**
 * The provider manifest, version 1: what one YAML or JSON file of a catalog folder may contain. Strict keys; only the
 * shape, no cross-references (those are in `check-manifest.ts`). Source: docs/manifest.md.
 */
export const MANIFEST_VERSION = 1;

export const Secret = z
  .strictObject({
    env: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/, "the name of an environment variable")
      .describe("The environment variable that holds it; mkt secrets set stores one, too."),
    description: z.string().optional().describe("What it is and where to get it."),
    example: z.string().optional().describe("What one looks like; never a real one."),
    pattern: z.string().optional().describe("Regular expression that a value must match."),
    optional: z.boolean().default(false).describe("It works without; auth and headers that need it are then left out."),
  })
  .meta({ id: "ManifestSecret" });
export type Secret = z.infer<typeof Secret>;

export const Manifest = z.strictObject({
  $schema: z.string().optional().describe("In a JSON file: the schema with which an editor checks it."),
  mkt: z.literal(MANIFEST_VERSION).describe("Version of the format."),
  provider: Slug.describe("Slug; the name of the file."),
  displayName: z.string().optional().describe("Name for people; the slug when left out."),
  description: z.string().optional().describe("What the provider has, in a sentence or two."),
  url: webUrl.optional().describe("Its public site."),
  docUrl: webUrl.optional().describe("Its documentation; for endpoints without one of their own."),
  tags: z
    .array(z.string())
    .default([])
    .describe("Words to browse by; endpoints have them too unless they name their own."),
  categories: z
    .array(categoryPath)
    .default([])
    .describe("Places in the category tree, top/leaf; endpoints have them too unless they name their own."),
  covers: Covers.optional().describe("What it has data about; endpoints may say otherwise member by member."),
  notes: z
    .array(z.string())
    .default([])
    .describe("What a caller should know; endpoints have them too unless they name their own."),
  markup: ManifestMarkup.optional().describe("What callers pay on top of the prices in this file."),
  secrets: z
    .record(partName, Secret)
    .default({})
    .describe("Names of environment variables, never values; read once the operator granted them."),
  verify: Verify.optional().describe("A free call that fails without a good key, or why there is none."),
  http: Http.optional().describe("How the provider is called; endpoints may say otherwise leaf by leaf."),
  errors: z.array(ErrorRule).default([]).describe("What answers mean, tried after the rules of the endpoint."),
  price: ManifestPrice.optional().describe("For endpoints without one of their own."),
  priceSource: PriceSource.optional().describe("Where prices are published; for endpoints without one of their own."),
  usage: Usage.optional().describe("For endpoints, leaf by leaf."),
  async: Async.optional().describe("The job protocol of endpoints that say async: {}."),
  resources: z.record(Slug, Resource).optional().describe("Resources that remain at the provider and cost per period."),
  schemas: z.record(partName, jsonSchema).default({}).describe("Shared JSON Schemas: $ref '#/schemas/Name'."),
  source: z
    .strictObject({
      kind: z.enum(["openapi", "mcp", "market", "utcp", "x402", "manual"]).describe("What it was imported from."),
      ref: z.string().describe("The file or the address."),
      sha256: z.string().optional().describe("Hash of what was imported."),
    })
    .optional()
    .describe("Where it was imported from; mkt catalog drift looks there."),
  endpoints: z
    .record(z.string().regex(/^\//, "a path that begins with /"), ManifestEndpoint)
    .describe("By their public path, which begins with /."),
});
export type Manifest = z.infer<typeof Manifest>;
