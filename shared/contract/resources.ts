import { z } from "zod";
import { DateTime, NextCursor } from "./common.ts";
import { Hints } from "./hints.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { Price } from "./price.ts";
import { Cursor, Limit100, queryFlag } from "./query-values.ts";
import { ResourceType } from "./resource-type.ts";

export const ResourceState = z.enum([
  "READY",
  "PROVISIONING",
  "ACTIVE",
  "EXPIRING",
  "SUSPENDED",
  "RELEASED",
  "PROVISION_FAILED",
]);
export type ResourceState = z.infer<typeof ResourceState>;

export const ResourceRateLine = z
  .object({
    label: z.string(),
    ratePerUnit: z.number().meta({ description: "Dollars per unit." }),
    per: z.string(),
  })
  .meta({ id: "ResourceRateLine" });
export type ResourceRateLine = z.infer<typeof ResourceRateLine>;

export const ResourceRenewal = z
  .object({
    price: Price,
    renewLead: z.object({ unit: z.string(), count: z.number() }),
    startedAt: DateTime,
    currentPeriodStart: DateTime,
    currentPeriodEnd: DateTime,
    renewAttemptAt: DateTime,
    cycle: z.number(),
    lastAttempt: z
      .object({ at: DateTime, outcome: z.enum(["SUCCEEDED", "FAILED"]), reason: z.string().optional() })
      .optional(),
    cancelledAt: DateTime.optional(),
  })
  .meta({ id: "ResourceRenewal" });
export type ResourceRenewal = z.infer<typeof ResourceRenewal>;

const externalResourceMembers = { kind: z.string(), displayName: z.string(), label: z.string().optional() };

export const ExternalResourceSummary = z.object(externalResourceMembers).meta({ id: "ExternalResourceSummary" });
export type ExternalResourceSummary = z.infer<typeof ExternalResourceSummary>;

export const ExternalResourceDetail = z
  .object({ ...externalResourceMembers, data: z.record(z.string(), z.unknown()) })
  .meta({ id: "ExternalResourceDetail" });
export type ExternalResourceDetail = z.infer<typeof ExternalResourceDetail>;

/** A durable thing that a run created at a provider. docs/contract.md, "Life of a resource". */
export const Resource = z
  .object({
    resourceId: z.string(),
    provider: z.string(),
    resourceSlug: z.string(),
    resourceType: z.string(),
    externalId: z.string(),
    identifier: z.string(),
    state: ResourceState,
    provisionedBy: z.string(),
    releasedBy: z.string().optional(),
    renewal: ResourceRenewal.optional(),
    createdAt: DateTime,
    updatedAt: DateTime,
    releasedAt: DateTime.optional(),
    releaseReasonCode: z.string().optional(),
    releaseReason: z.string().optional(),
    phoneNumber: z.string().optional(),
    country: z.string().optional(),
    numberType: z.string().optional(),
    externalResources: z.array(ExternalResourceSummary).optional(),
    syncedAt: DateTime.optional(),
    providerName: z.string().optional(),
    displayName: z.string().optional(),
    description: z.string().optional(),
    summary: z.string().optional(),
    releasable: z.boolean(),
    name: z.string().optional(),
    totalBytes: z.int().optional(),
    objectCount: z.int().optional(),
    lastMutationAt: DateTime.optional(),
    cdpUrl: z.string().optional(),
    baseUrl: z.string().optional(),
    targetUrl: z.string().optional(),
    timeoutSeconds: z.int().optional(),
    proxyCountryCode: z.string().optional(),
    usageBilling: z.object({ rateCard: z.array(ResourceRateLine) }).optional(),
    hints: Hints.optional(),
  })
  .meta({ id: "Resource" });
export type Resource = z.infer<typeof Resource>;

export const ResourcePage = z
  .object({ items: z.array(Resource), cursor: NextCursor, hints: Hints.optional() })
  .meta({ id: "ResourcePage" });
export type ResourcePage = z.infer<typeof ResourcePage>;

export const ResourceEvent = z
  .object({
    eventId: z.string(),
    type: z.string(),
    cycle: z.number().optional(),
    amount: z.object({ value: z.number(), currency: z.string() }).optional(),
    reason: z.string().optional(),
    at: DateTime,
  })
  .meta({ id: "ResourceEvent" });
export type ResourceEvent = z.infer<typeof ResourceEvent>;

export const ResourceEventPage = z
  .object({ items: z.array(ResourceEvent), cursor: NextCursor, hints: Hints.optional() })
  .meta({ id: "ResourceEventPage" });
export type ResourceEventPage = z.infer<typeof ResourceEventPage>;

export const ResourceReleaseAccepted = z
  .object({
    resourceId: z.string(),
    state: z.enum(["EXPIRING"]),
    message: z.string(),
    hints: Hints.optional(),
  })
  .meta({ id: "ResourceReleaseAccepted" });
export type ResourceReleaseAccepted = z.infer<typeof ResourceReleaseAccepted>;

const resourceParams = { resourceId: z.string().meta({ description: "ULID." }) };
const resources = { tier: "core", tag: "Resources", auth: "workspace" } as const;

export const resourceOperations = {
  listResources: defineOperation({
    ...operationPaths.listResources,
    ...resources,
    summary: "List resources",
    scope: "resources:read",
    query: z.object({
      limit: Limit100.optional(),
      cursor: Cursor.optional(),
      provider: z.string().optional(),
      resourceType: ResourceType.optional().meta({ description: "Only together with provider." }),
      state: ResourceState.optional(),
      parent: z
        .string()
        .min(1)
        .optional()
        .meta({ description: "Only the children of this resource; excludes includeChildren." }),
      includeChildren: queryFlag().optional().meta({ description: "Flat list with children; excludes parent." }),
    }),
    responses: { 200: ResourcePage },
    errors: [400, 404],
  }),
  getResource: defineOperation({
    ...operationPaths.getResource,
    ...resources,
    summary: "Get a resource",
    scope: "resources:read",
    params: z.object(resourceParams),
    responses: { 200: Resource },
    errors: [404],
  }),
  getResourceExternal: defineOperation({
    ...operationPaths.getResourceExternal,
    ...resources,
    summary: "Read a linked object live from the provider",
    scope: "resources:read",
    params: z.object({
      ...resourceParams,
      kind: z.string().meta({ description: "One of externalResources[].kind." }),
    }),
    responses: { 200: ExternalResourceDetail },
    errors: [404, 502],
  }),
  listResourceEvents: defineOperation({
    ...operationPaths.listResourceEvents,
    ...resources,
    summary: "What happened to a resource, oldest first",
    scope: "resources:read",
    params: z.object(resourceParams),
    query: z.object({ limit: Limit100.optional(), cursor: Cursor.optional() }),
    responses: { 200: ResourceEventPage },
    errors: [400, 404],
  }),
  releaseResource: defineOperation({
    ...operationPaths.releaseResource,
    ...resources,
    summary: "Release a resource",
    scope: "resources:delete",
    params: z.object(resourceParams),
    responses: { 202: ResourceReleaseAccepted },
    errors: [404, 409],
  }),
};
