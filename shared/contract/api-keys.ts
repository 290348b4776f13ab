import { z } from "zod";
import { atMost } from "./at-most.ts";
import { closedObject } from "./closed-object.ts";
import { DateTime, NextCursor, slugPattern } from "./common.ts";
import { OperatorGrant } from "./identity.ts";
import { KeySpending, SpendLimit, SpendLimitGiven } from "./key-limits.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { Cursor, Limit, queryList } from "./query-values.ts";
import { KeyRole } from "./roles.ts";
import { Scope, ScopeCatalog } from "./scopes.ts";

export const ApiKeyStatus = z.enum(["ACTIVE", "EXPIRED", "REVOKED"]);
export type ApiKeyStatus = z.infer<typeof ApiKeyStatus>;

const MAX_ALLOWED = 100;

/** Which runs a key may start. docs/contract.md, "Key limits". */
const runLimits = {
  providers: z
    .array(z.string().max(60).regex(slugPattern))
    .min(1)
    .max(MAX_ALLOWED)
    .optional()
    .meta({ description: "The only providers that it may run; all when absent." }),
  endpoints: z
    .array(
      z
        .string()
        .max(500)
        .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*\/[^\s/]\S*$/, "must be provider/path, such as atlas/sun"),
    )
    .min(1)
    .max(MAX_ALLOWED)
    .optional()
    .meta({ description: "The only endpoints that it may run, as provider/path; all when absent." }),
};

/** A key as it can be read later: everything but its secret. docs/contract.md, "API keys". */
export const ApiKey = z
  .object({
    label: z.string(),
    keyPrefix: z.string(),
    createdBy: z.string().meta({ description: "Actor id, for example USER#<id>." }),
    createdAt: DateTime,
    lastUsedAt: DateTime.optional(),
    owner: z.string(),
    scopes: z.array(Scope).min(1),
    status: ApiKeyStatus,
    origin: z.enum(["DASHBOARD", "API", "AEP", "SYSTEM"]),
    expiresAt: DateTime.optional(),
    revokedAt: DateTime.optional(),
    revokedBy: z.string().optional(),
    session: z
      .literal(true)
      .optional()
      .meta({ description: "A session of the console, which acts as the key that opened it." }),
    operator: OperatorGrant,
    role: KeyRole.optional().meta({ description: "Absent for a key that was created with scopes only." }),
    ...runLimits,
    spendLimit: SpendLimit.optional(),
    spending: KeySpending.optional().meta({ description: "With a spendLimit only." }),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const ApiKeyPage = z.object({ items: z.array(ApiKey), cursor: NextCursor }).meta({ id: "ApiKeyPage" });
export type ApiKeyPage = z.infer<typeof ApiKeyPage>;

export const CreateApiKeyRequest = closedObject({
  label: z.string().min(1),
  role: KeyRole.optional().meta({
    description: "The key gets the scopes of the role; scopes given as well narrow them.",
  }),
  scopes: atMost(100, z.array(Scope).min(1)).optional(),
  expiresAt: DateTime.optional(),
  ...runLimits,
  spendLimit: SpendLimitGiven.optional(),
}).meta({ id: "CreateApiKeyRequest" });
export type CreateApiKeyRequest = z.infer<typeof CreateApiKeyRequest>;

export const CreateApiKeyResponse = ApiKey.extend({
  key: z
    .string()
    .regex(/^[a-z]+_[a-z0-9]+_[A-Za-z0-9]+$/)
    .meta({ description: "Full secret, shown once." }),
}).meta({ id: "CreateApiKeyResponse" });
export type CreateApiKeyResponse = z.infer<typeof CreateApiKeyResponse>;

export const UpdateApiKeyRequest = closedObject({ label: z.string().min(1).optional() })
  .refine(({ label }) => label !== undefined, {
    error: "name what is to change: label. What a key may do is fixed when it is made",
  })
  .meta({ id: "UpdateApiKeyRequest" });
export type UpdateApiKeyRequest = z.infer<typeof UpdateApiKeyRequest>;

const KeyParams = z.object({ label: z.string().min(1) });
const apiKeys = { tier: "contract", tag: "API Keys", auth: "workspace" } as const;

export const apiKeyOperations = {
  listApiKeys: defineOperation({
    ...operationPaths.listApiKeys,
    ...apiKeys,
    summary: "List keys",
    scope: "api_keys:read",
    query: z.object({
      limit: Limit.optional(),
      cursor: Cursor.optional(),
      status: queryList(ApiKeyStatus.options)
        .optional()
        .meta({ description: "Comma-separated; everything but REVOKED when omitted." }),
    }),
    responses: { 200: ApiKeyPage },
    errors: [400],
  }),
  createApiKey: defineOperation({
    ...operationPaths.createApiKey,
    ...apiKeys,
    summary: "Create a key",
    description: "The full key is in this answer and never readable again.",
    scope: "api_keys:create",
    idempotent: true,
    body: CreateApiKeyRequest,
    responses: { 201: CreateApiKeyResponse },
    errors: [400, 409],
  }),
  listScopes: defineOperation({
    ...operationPaths.listScopes,
    ...apiKeys,
    summary: "List grantable scopes",
    responses: { 200: ScopeCatalog },
    errors: [400],
  }),
  getApiKey: defineOperation({
    ...operationPaths.getApiKey,
    ...apiKeys,
    summary: "Get a key",
    scope: "api_keys:read",
    params: KeyParams,
    responses: { 200: ApiKey },
    errors: [400, 404],
  }),
  updateApiKey: defineOperation({
    ...operationPaths.updateApiKey,
    ...apiKeys,
    summary: "Rename a key",
    scope: "api_keys:update",
    params: KeyParams,
    body: UpdateApiKeyRequest,
    responses: { 200: ApiKey },
    errors: [400, 404, 409],
  }),
  deleteApiKey: defineOperation({
    ...operationPaths.deleteApiKey,
    ...apiKeys,
    summary: "Revoke a key, without an answer body",
    scope: "api_keys:delete",
    params: KeyParams,
    responses: { 204: null },
    errors: [400, 404],
  }),
  revokeApiKey: defineOperation({
    ...operationPaths.revokeApiKey,
    ...apiKeys,
    summary: "Revoke a key",
    description: "Immediate and final; the label is free again.",
    scope: "api_keys:delete",
    params: KeyParams,
    responses: { 200: ApiKey },
    errors: [400, 404],
  }),
};
