import type { UserId, WorkspaceId } from "../base/ids.ts";
import type { ApiKey, CreateApiKeyResponse } from "../../shared/contract/api-keys.ts";
import type {
  AuthCredential,
  AuthUser,
  AuthWorkspace,
  Person,
  WorkspaceListItem,
} from "../../shared/contract/identity.ts";
import type { KeyRole } from "../../shared/contract/roles.ts";
import type { Caller, CallerKey } from "../http/callers/caller.ts";
import type { UserRecord, WorkspaceRecord } from "../ledger/records/identity-records.ts";
import type { KeyView, NewKey } from "./key-service.ts";
import type { KeySpending } from "./key-spending.ts";
import { toMoney } from "../../shared/micro-dollars.ts";
import { defaultScopesOf } from "./key-limits.ts";
import { toScopes } from "./scopes.ts";

/** `userId`: the id on the wire, as for workspaces below. */
export function toAuthUser(
  { username, email, metadata = {}, createdAt, updatedAt }: UserRecord,
  userId: UserId,
): AuthUser {
  return { userId, username, ...(email !== undefined && { email }), metadata, createdAt, updatedAt };
}

export function toAuthWorkspace(
  { name, slug, createdAt, updatedAt }: WorkspaceRecord,
  workspaceId: WorkspaceId,
): AuthWorkspace {
  return { workspaceId, name, slug, metadata: {}, createdAt, updatedAt };
}

/** docs/contract.md, "Workspaces": the slug is null when there is none. */
export function toWorkspaceListItem({ slug }: WorkspaceRecord, workspaceId: WorkspaceId): WorkspaceListItem {
  return { workspaceId, slug: slug === "" ? null : slug };
}

export function toPerson({ username, createdAt }: UserRecord, userId: UserId): Person {
  return { userId, username, createdAt };
}

/** What a caller may do, and the default scopes of a key that it makes. */
export function toAuthCredential(caller: Caller, spending: KeySpending | undefined): AuthCredential {
  const { operator, key } = caller;
  const scopes = [...caller.scopes];
  return {
    kind: key === undefined ? "session" : "api_key",
    scopes: toScopes(scopes),
    defaultScopes: toScopes(defaultScopesOf(caller)),
    ...(key !== undefined && { fingerprint: key.fingerprint }),
    ...(key?.expiresAt !== undefined && { expiresAt: key.expiresAt }),
    ...(operator && { operator: true }),
    ...(key !== undefined && { label: key.label, ...roleOf({ role: key.role, scopes }), ...limitOf(key, spending) }),
  };
}

/** A key that was made with scopes alone, and has all of them, has the rights of an owner. */
function roleOf({ role, scopes }: Pick<KeyView["record"], "scopes"> & { role: KeyRole | undefined }): {
  role?: KeyRole;
} {
  if (role !== undefined) return { role };
  return scopes.includes("*") ? { role: "owner" } : {};
}

/** The spend limit of a key, and what it has used of it. */
function limitOf({ spendLimit }: Pick<CallerKey, "spendLimit">, spending: KeySpending | undefined) {
  return {
    ...(spendLimit !== undefined && {
      spendLimit: { amount: toMoney(spendLimit.microDollars), period: spendLimit.period },
    }),
    ...(spending !== undefined && {
      spending: {
        spent: toMoney(spending.spent),
        held: toMoney(spending.held),
        left: toMoney(spending.left),
        resetsAt: spending.resetsAt,
      },
    }),
  };
}

/** A key without its secret, and without its hash. */
export function toApiKey({ record, status, lastUsedAt, spending }: KeyView): ApiKey {
  const { providers, endpoints } = record;
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
    ...(record.session !== undefined && { session: true }),
    ...(record.operator === true && { operator: true }),
    ...(providers !== undefined && { providers }),
    ...(endpoints !== undefined && { endpoints }),
    ...roleOf({ role: record.role, scopes: record.scopes }),
    ...limitOf(record, spending),
  };
}

/** The only response that contains the whole key. */
export function toCreatedKey(created: NewKey): CreateApiKeyResponse {
  return { ...toApiKey(created), key: created.key };
}
