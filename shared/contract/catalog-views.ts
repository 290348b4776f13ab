import { z } from "zod";
import { CatalogFileError } from "./admin.ts";
import { closedObject } from "./closed-object.ts";
import { DateTime, NextCursor } from "./common.ts";
import { EndpointMetrics, UnavailableReason } from "./discovery.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { PublicPrice } from "./price.ts";
import { Cursor, Limit } from "./query-values.ts";
import { SecretVerdict } from "./secret-verdicts.ts";

/** The catalog as a person looks after it. docs/contract.md, "Catalog views". */

const Count = z.int().min(0);

const Unavailable = z
  .object({
    reason: UnavailableReason,
    missing: z.array(z.string()).optional().meta({ description: "Names of the secrets that are not set." }),
    next: z.string().optional().meta({ description: "The command that mends it; absent where the caller may not." }),
  })
  .meta({ id: "CatalogUnavailable", description: "Why it cannot be run now." });
export type CatalogUnavailable = z.infer<typeof Unavailable>;

const providerMembers = {
  provider: z.string(),
  displayName: z.string(),
  displayDescription: z.string().optional(),
  url: z.string().optional(),
  categories: z.array(z.string()).meta({ description: "Depth-2 paths of its endpoints, the most frequent first." }),
  source: z.enum(["bundled", "own", "market"]).meta({
    description: "bundled: it comes with the program; market: it is passed on to another market; own: all others.",
  }),
  endpointCount: Count,
  status: EndpointMetrics.shape.status.meta({ description: "The worst of its endpoints that were run lately." }),
  failing: Count.meta({ description: "Endpoints in outage or degraded." }),
  unavailable: Unavailable.optional(),
};

/** A provider in the list. */
export const CatalogProviderItem = z.object(providerMembers).meta({ id: "CatalogProviderItem" });
export type CatalogProviderItem = z.infer<typeof CatalogProviderItem>;

export const CatalogProviderPage = z
  .object({
    items: z.array(CatalogProviderItem),
    cursor: NextCursor,
    counts: z.object({ providers: Count, endpoints: Count, failing: Count, unavailable: Count, found: Count }).meta({
      description: "Of the whole catalog, in providers and endpoints; found: providers that pass the filter.",
    }),
  })
  .meta({ id: "CatalogProviderPage" });
export type CatalogProviderPage = z.infer<typeof CatalogProviderPage>;

export const CatalogEndpoint = z
  .object({
    endpoint: z.string(),
    displayName: z.string(),
    displayDescription: z.string(),
    price: PublicPrice,
    metrics: EndpointMetrics,
    verified: z.boolean().meta({ description: "Somebody tried it at the provider." }),
    unavailable: Unavailable.optional(),
  })
  .meta({ id: "CatalogEndpoint" });
export type CatalogEndpoint = z.infer<typeof CatalogEndpoint>;

/** What only an operator sees of a provider; never a secret's value. */
export const CatalogSetup = z
  .object({
    file: z.string(),
    trusted: z.boolean().meta({ description: "Its folder is trusted, so it needs no grant." }),
    needsGrant: z.boolean(),
    grantedAt: DateTime.optional(),
    asks: z
      .object({ origin: z.string(), variables: z.array(z.string()), privateHosts: z.array(z.string()) })
      .meta({ description: "What its file asks for." }),
    secrets: z.array(
      z.object({
        name: z.string().meta({ description: "The environment variable, which is the name for mkt secrets set." }),
        description: z.string().optional(),
        state: z.enum(["set", "missing", "optional", "notRead"]).meta({
          description: "optional: not set, and not needed; notRead: without a grant nothing is read.",
        }),
      }),
    ),
    verdict: SecretVerdict.omit({ provider: true }).optional(),
    problems: z.array(CatalogFileError),
  })
  .meta({ id: "CatalogSetup" });
export type CatalogSetup = z.infer<typeof CatalogSetup>;

export const CatalogProviderView = z
  .object({
    ...providerMembers,
    endpoints: z.array(CatalogEndpoint),
    cursor: NextCursor,
    setup: CatalogSetup.optional().meta({ description: "Absent for everybody but operators." }),
  })
  .meta({ id: "CatalogProviderView" });
export type CatalogProviderView = z.infer<typeof CatalogProviderView>;

export const CatalogHistory = z
  .object({
    runsOf: z.enum(["everybody", "workspace", "nobody"]).meta({
      description:
        "Whose runs are counted: of all workspaces for an operator, else of the caller's. nobody: the credentials may not read them.",
    }),
    spanHours: z.int().min(1),
    spans: z
      .array(
        z.object({
          at: DateTime.meta({ description: "When it begins." }),
          runs: Count,
          errors: Count,
          averageMs: Count.optional().meta({
            description: "Of completed runs, end to end; absent when there was none.",
          }),
          slowestMs: Count.optional(),
        }),
      )
      .max(168)
      .meta({ description: "The last seven days, the oldest first, without gaps." }),
  })
  .meta({ id: "CatalogHistory" });
export type CatalogHistory = z.infer<typeof CatalogHistory>;

/** A document is a text in the request: nothing is fetched for it, and no file is read. */
const importMembers = {
  document: z.string().min(1).max(16_000_000).meta({ description: "OpenAPI 2 or 3, as JSON or YAML." }),
  fileName: z.string().min(1).max(200).optional().meta({ description: "What it was called, for the file's comments." }),
  price: z.number().min(0).max(10_000).optional().meta({ description: "Dollars for a call that it gives no price." }),
  baseUrl: z
    .string()
    .regex(/^https?:\/\//i, "must be an address such as https://api.example.com")
    .max(2_000)
    .optional()
    .meta({ description: "The API's address, where the document has no complete one." }),
};
const Slug = z
  .string()
  .max(60)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "takes lower-case letters, digits and single hyphens")
  .meta({ description: "Slug of the new provider." });

export const PreviewImportRequest = closedObject({
  ...importMembers,
  provider: Slug.optional().meta({ description: "Absent: made of the document's title." }),
}).meta({ id: "PreviewImportRequest" });
export type PreviewImportRequest = z.infer<typeof PreviewImportRequest>;

export const ImportDocumentRequest = closedObject({ ...importMembers, provider: Slug }).meta({
  id: "ImportDocumentRequest",
});
export type ImportDocumentRequest = z.infer<typeof ImportDocumentRequest>;

export const ImportedManifest = z
  .object({
    provider: z.string(),
    displayName: z.string(),
    file: z.string().meta({ description: "Where the provider file is, or would be, on the daemon's machine." }),
    text: z.string().meta({ description: "The whole provider file." }),
    endpoints: z.array(z.string()),
    skipped: z.array(z.object({ operation: z.string(), why: z.string() })),
    off: z.array(z.object({ path: z.string(), why: z.string() })).meta({
      description: "Taken, but not to be run until the file is mended.",
    }),
    notes: z.array(z.string()),
    pricesToSet: z.array(z.string()),
    secrets: z.array(z.string()).meta({ description: "Names for mkt secrets set." }),
    needsGrant: z.boolean(),
    cannotWrite: z
      .string()
      .optional()
      .meta({ description: "Why the daemon does not write this file; absent: it can." }),
  })
  .meta({ id: "ImportedManifest" });
export type ImportedManifest = z.infer<typeof ImportedManifest>;

const view = { tier: "mkt", tag: "Catalog", auth: "workspace" } as const;
const operator = { tier: "mkt", tag: "Operator", auth: "operator" } as const;
const ProviderParams = z.object({ provider: z.string().min(1) });

export const catalogViewOperations = {
  listCatalogProviders: defineOperation({
    ...operationPaths.listCatalogProviders,
    ...view,
    load: "search",
    summary: "List providers with their health and what they lack",
    query: z.object({
      q: z.string().max(200).optional().meta({ description: "Words of the name, the slug or the description." }),
      source: providerMembers.source.optional(),
      state: z.enum(["failing", "unavailable", "used"]).optional().meta({
        description: "failing: an endpoint does badly; unavailable: cannot be run now; used: was run lately.",
      }),
      limit: Limit.optional(),
      cursor: Cursor.optional(),
    }),
    responses: { 200: CatalogProviderPage },
    errors: [400],
  }),
  getCatalogProvider: defineOperation({
    ...operationPaths.getCatalogProvider,
    ...view,
    summary: "A provider with its endpoints",
    params: ProviderParams,
    query: z.object({ limit: Limit.optional(), cursor: Cursor.optional() }),
    responses: { 200: CatalogProviderView },
    errors: [400, 404],
  }),
  getCatalogHistory: defineOperation({
    ...operationPaths.getCatalogHistory,
    ...view,
    summary: "Runs, errors and run times of a provider over seven days",
    params: ProviderParams,
    query: z.object({ endpoint: z.string().min(1).optional().meta({ description: "Absent: all together." }) }),
    responses: { 200: CatalogHistory },
    errors: [404],
  }),
  previewImport: defineOperation({
    ...operationPaths.previewImport,
    ...operator,
    summary: "What an OpenAPI document would give, without writing anything",
    body: PreviewImportRequest,
    responses: { 200: ImportedManifest },
    errors: [400, 409, 503],
  }),
  importDocument: defineOperation({
    ...operationPaths.importDocument,
    ...operator,
    summary: "Write a new provider file made of an OpenAPI document",
    description: "Into the daemon's own catalog folder. A file or a provider that is there already is never replaced.",
    body: ImportDocumentRequest,
    responses: { 201: ImportedManifest },
    errors: [400, 409, 503],
  }),
};
