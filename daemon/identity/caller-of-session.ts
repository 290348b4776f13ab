import type { Caller, CallerSession } from "../http/callers/caller.ts";
import type { Clock } from "../base/clock.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { callerOfKey } from "./caller-of-key.ts";
import { statusOf } from "./key-status.ts";

export interface SessionParts {
  readonly store: Pick<IdentityStore, "findKey" | "findUser" | "listWorkspacesOf">;
  readonly clock: Clock;
  /** The identity provider of now; absent without one. */
  readonly issuer?: string | undefined;
}

/**
 * The caller of a session of the console: the key that opened it, so that all its limits hold, its spending counts, and its
 * own runs stay its own; or the user, if it was opened with an access token. Undefined once that key or user has no access any
 * more. docs/console.md, "Sessions".
 */
export async function callerOfSession(parts: SessionParts, record: KeyRecord): Promise<Caller | undefined> {
  const session: CallerSession = { keyId: record.keyId, expiresAt: record.expiresAt ?? record.createdAt };
  if (record.session?.keyId === undefined) return await callerOfUser(parts, record, session);
  const key = await parts.store.findKey(record.session.keyId);
  if (key === undefined || statusOf(key, parts.clock.now()) !== "ACTIVE") return undefined;
  const { workspaceId } = record;
  return { ...callerOfKey({ ...key, expiresAt: session.expiresAt }, { workspaceId }), session };
}

async function callerOfUser(
  { store, issuer }: SessionParts,
  { owner: userId, workspaceId, scopes }: KeyRecord,
  session: CallerSession,
): Promise<Caller | undefined> {
  const user = await store.findUser(userId);
  if (issuer === undefined || user?.subject?.issuer !== issuer) return undefined;
  const isMember = (await store.listWorkspacesOf(userId)).some((one) => one.workspaceId === workspaceId);
  if (!isMember) return undefined;
  return { kind: "JWT", actor: `USER#${userId}`, userId, workspaceId, scopes, operator: false, session };
}
