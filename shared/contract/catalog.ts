import { z } from "zod";
import { NextCursor, slugPattern, textOfLength } from "./common.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { PublicPrice } from "./price.ts";
import { Cursor, Limit, queryFlag, queryList } from "./query-values.ts";

/** An endpoint card. docs/contract.md, "Cards". */
export const PublicEndpointInfo = z
  .object({
    provider: z.string(),
    providerDisplayName: z.string(),
    providerDisplayDescription: z.string().optional(),
    endpoint: z.string(),
    displayName: z.string(),
    displayDescription: z.string(),
    price: PublicPrice,
    tags: z.array(z.string()),
    categories: z.array(z.string()).meta({
      description: "Depth-2 paths (top/leaf), functional and provider placement alike; tops never appear alone.",
    }),
    supportedX402Networks: z.array(z.string()).optional().meta({ description: "CAIP-2 ids." }),
  })
  .meta({ id: "PublicEndpointInfo" });
export type PublicEndpointInfo = z.infer<typeof PublicEndpointInfo>;

export const PublicEndpointDetail = PublicEndpointInfo.extend({
  summary: z.string().optional(),
  method: z.string().optional(),
  hints: z.record(z.string(), z.unknown()).optional().meta({ description: "Raw structured targets as authored." }),
}).meta({ id: "PublicEndpointDetail" });
export type PublicEndpointDetail = z.infer<typeof PublicEndpointDetail>;

const EndpointCount = z.int().min(0);

const categoryMembers = {
  id: z.string(),
  displayName: z.string(),
  description: z.string().optional(),
  endpointCount: EndpointCount,
};

export const TopCategoryNode = z
  .object({
    ...categoryMembers,
    kind: z.enum(["top"]),
    children: z.array(z.string()).meta({ description: "Linked leaves in display order, then provider nodes." }),
  })
  .meta({ id: "TopCategoryNode" });
export type TopCategoryNode = z.infer<typeof TopCategoryNode>;

export const LeafCategoryNode = z
  .object({ ...categoryMembers, kind: z.enum(["category"]), parents: z.array(z.string()) })
  .meta({ id: "LeafCategoryNode" });
export type LeafCategoryNode = z.infer<typeof LeafCategoryNode>;

export const ProviderCategoryNode = z
  .object({
    ...categoryMembers,
    kind: z.enum(["provider"]),
    provider: z.string(),
    parents: z.array(z.string()),
    url: z.url().optional().meta({ description: "Public site; absent when unknown, never null or empty." }),
  })
  .meta({ id: "ProviderCategoryNode" });
export type ProviderCategoryNode = z.infer<typeof ProviderCategoryNode>;

export const PublicCategoryNode = z
  .discriminatedUnion("kind", [TopCategoryNode, LeafCategoryNode, ProviderCategoryNode])
  .meta({ id: "PublicCategoryNode" });
export type PublicCategoryNode = z.infer<typeof PublicCategoryNode>;

export const PublicCategoriesResponse = z
  .object({ items: z.array(PublicCategoryNode), totalEndpointCount: EndpointCount })
  .meta({ id: "PublicCategoriesResponse" });
export type PublicCategoriesResponse = z.infer<typeof PublicCategoriesResponse>;

export const PublicProviderEntry = z
  .object({
    provider: z.string(),
    displayName: z.string(),
    displayDescription: z.string().optional(),
    endpointCount: EndpointCount,
    url: z.url().optional(),
  })
  .meta({ id: "PublicProviderEntry" });
export type PublicProviderEntry = z.infer<typeof PublicProviderEntry>;

export const PublicRegistryStats = z
  .object({ endpointCount: EndpointCount, providerCount: z.int().min(0) })
  .meta({ id: "PublicRegistryStats" });
export type PublicRegistryStats = z.infer<typeof PublicRegistryStats>;

export const PublicSearchResponse = z
  .object({
    items: z.array(PublicEndpointInfo),
    query: z.string(),
    count: z.int().min(0),
    cursor: z.string().optional(),
    total: z.int().min(0).optional(),
    totalIsCapped: z.boolean().optional(),
  })
  .meta({ id: "PublicSearchResponse" });
export type PublicSearchResponse = z.infer<typeof PublicSearchResponse>;

export const EndpointPage = z
  .object({ items: z.array(PublicEndpointInfo), cursor: NextCursor, total: z.int().min(0).optional() })
  .meta({ id: "EndpointPage" });
export type EndpointPage = z.infer<typeof EndpointPage>;

export const ProviderPage = z
  .object({ items: z.array(PublicProviderEntry), cursor: NextCursor })
  .meta({ id: "ProviderPage" });
export type ProviderPage = z.infer<typeof ProviderPage>;

const CategoryFilter = z.string().max(60).regex(slugPattern).meta({ description: "Category node id." });
const Keywords = textOfLength(1, 200).meta({ description: "Keyword query." });

const x402Filters = {
  supportsX402: queryFlag().optional(),
  x402Network: z.string().min(1).max(100).optional(),
};

/** Filters of the browsing routes. docs/contract.md, "Discover filters". */
const browseFilters = {
  ...x402Filters,
  readonly: queryFlag().optional(),
  effects: queryList(["creates", "updates", "deletes"])
    .optional()
    .meta({ description: "Comma-separated: creates, updates, deletes." }),
};

const publicRegistry = { tag: "Public Registry", auth: "none" } as const;

export const catalogOperations = {
  browseEndpoints: defineOperation({
    ...operationPaths.browseEndpoints,
    tier: "contract",
    tag: "Endpoints",
    auth: "workspace",
    load: "search",
    summary: "Browse endpoints, verified ones first",
    query: z.object({
      limit: Limit.optional(),
      cursor: Cursor.optional(),
      category: CategoryFilter.optional(),
      ...browseFilters,
    }),
    responses: { 200: EndpointPage },
    errors: [400],
  }),
  getPublicStats: defineOperation({
    ...operationPaths.getPublicStats,
    ...publicRegistry,
    tier: "contract",
    summary: "Count endpoints and providers",
    query: z.object({
      q: Keywords.optional().meta({ description: "Keyword query: only what it finds is counted." }),
      ...x402Filters,
    }),
    responses: { 200: PublicRegistryStats },
    errors: [400],
  }),
  listPublicCategories: defineOperation({
    ...operationPaths.listPublicCategories,
    ...publicRegistry,
    tier: "core",
    summary: "List categories",
    query: z.object({ category: CategoryFilter.optional(), q: Keywords.optional(), ...browseFilters }),
    responses: { 200: PublicCategoriesResponse },
    errors: [400],
  }),
  listPublicEndpoints: defineOperation({
    ...operationPaths.listPublicEndpoints,
    ...publicRegistry,
    tier: "core",
    summary: "List endpoints",
    query: z.object({
      limit: Limit.optional(),
      cursor: Cursor.optional(),
      q: Keywords.optional(),
      category: CategoryFilter.optional(),
      provider: z.string().min(1).optional().meta({ description: "Exact slug; an unknown one gives an empty page." }),
      ...browseFilters,
    }),
    responses: { 200: EndpointPage },
    errors: [400],
  }),
  listPublicProviders: defineOperation({
    ...operationPaths.listPublicProviders,
    ...publicRegistry,
    tier: "core",
    summary: "List providers",
    query: z.object({
      limit: Limit.optional(),
      cursor: Cursor.optional(),
      q: Keywords.optional(),
      ...browseFilters,
    }),
    responses: { 200: ProviderPage },
    errors: [400],
  }),
  listPublicProviderEndpoints: defineOperation({
    ...operationPaths.listPublicProviderEndpoints,
    ...publicRegistry,
    tier: "contract",
    summary: "List the endpoints of a provider",
    params: z.object({ provider: z.string().min(1) }),
    query: z.object({ limit: Limit.optional(), cursor: Cursor.optional() }),
    responses: { 200: EndpointPage },
    errors: [400, 404],
  }),
  getPublicEndpoint: defineOperation({
    ...operationPaths.getPublicEndpoint,
    ...publicRegistry,
    tier: "contract",
    summary: "Get an endpoint card",
    params: z.object({
      provider: z.string(),
      endpoint: z.string().meta({ description: "May itself contain slashes: match greedily." }),
    }),
    responses: { 200: PublicEndpointDetail },
    errors: [404],
  }),
  searchPublicEndpoints: defineOperation({
    ...operationPaths.searchPublicEndpoints,
    ...publicRegistry,
    tier: "contract",
    summary: "Search endpoints by keywords",
    query: z.object({ q: textOfLength(1, 200), limit: Limit.optional(), cursor: Cursor.optional() }),
    responses: { 200: PublicSearchResponse },
    errors: [400],
  }),
};
