import type { ApiKey, CreateApiKeyResponse } from "../../shared/contract/api-keys.ts";
import type { AuthCredential, AuthUser, AuthWorkspace, WorkspaceListItem } from "../../shared/contract/identity.ts";
import type { Caller } from "../http/caller.ts";
import type { UserRecord, WorkspaceRecord } from "./identity-records.ts";
import type { KeyView, NewKey } from "./key-service.ts";
import { microDollars, toMoney } from "../../shared/micro-dollars.ts";
import { defaultScopesOf } from "./key-limits.ts";
import { toScopes } from "./scopes.ts";

export function toAuthUser({ userId, username, email, createdAt, updatedAt }: UserRecord): AuthUser {
  return { userId, username, ...(email !== undefined && { email }), metadata: {}, createdAt, updatedAt };
}

export function toAuthWorkspace({ workspaceId, name, slug, createdAt, updatedAt }: WorkspaceRecord): AuthWorkspace {
  return { workspaceId, name, slug, metadata: {}, createdAt, updatedAt };
}

/** Spec: WorkspaceListItem: the slug is null when there is none. */
export function toWorkspaceListItem({ workspaceId, slug }: WorkspaceRecord): WorkspaceListItem {
  return { workspaceId, slug: slug === "" ? null : slug };
}

/** What a caller may do, and what a key that it mints gets when none is named. */
export function toAuthCredential(caller: Caller): AuthCredential {
  const { scopes, operator, key } = caller;
  return {
    kind: key === undefined ? "session" : "api_key",
    scopes: toScopes(scopes),
    defaultScopes: toScopes(defaultScopesOf(caller)),
    ...(key !== undefined && { fingerprint: key.fingerprint }),
    ...(key?.expiresAt !== undefined && { expiresAt: key.expiresAt }),
    ...(operator && { operator: true }),
  };
}

/** A key without its secret, and without its hash. */
export function toApiKey({ record, status, lastUsedAt }: KeyView): ApiKey {
  const { providers, endpoints, spendLimit } = record;
  return {
    label: record.label,
    keyPrefix: record.prefix,
    createdBy: record.createdBy,
    createdAt: record.createdAt,
    ...(lastUsedAt !== undefined && { lastUsedAt }),
    owner: record.owner,
    scopes: toScopes(record.scopes),
    status,
    origin: record.origin,
    ...(record.expiresAt !== undefined && { expiresAt: record.expiresAt }),
    ...(record.revokedAt !== undefined && { revokedAt: record.revokedAt }),
    ...(record.revokedBy !== undefined && { revokedBy: record.revokedBy }),
    ...(record.operator === true && { operator: true }),
    ...(providers !== undefined && { providers }),
    ...(endpoints !== undefined && { endpoints }),
    ...(spendLimit !== undefined && {
      spendLimit: { amount: toMoney(microDollars(spendLimit.microDollars)), period: spendLimit.period },
    }),
  };
}

/** The one answer that holds the whole key. */
export function toCreatedKey(created: NewKey): CreateApiKeyResponse {
  return { ...toApiKey(created), key: created.key };
}
