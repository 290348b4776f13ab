import type { Connection, ConnectionAttempt } from "../../shared/contract/connections.ts";
import type { Clock } from "../base/clock.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import type { ConnectionRecord } from "./connection-record.ts";
import { connectCommand, type ConnectionStanding, standingOf } from "./connection-standing.ts";
import type { Login } from "./login.ts";
import type { LoginAttempt } from "./login-attempts.ts";

/** Judges a record by what its provider's file says now. */
export function standingNow(record: ConnectionRecord, login: Login | undefined, clock: Clock): ConnectionStanding {
  if (login !== undefined) return standingOf(record, login, { nowMs: clock.now(), baseUrl: login.baseUrl });
  const why = `the catalog has no provider ${record.provider} with a login any more; remove the connection: mkt connections remove ${record.provider}`;
  return { state: "changed", why };
}

/** A connection as callers see it: no token, and no name of another's key for who sees only its own. */
export async function toConnection(
  record: ConnectionRecord,
  { state, why }: ConnectionStanding,
  { caller, ids }: { readonly caller: WorkspaceCaller; readonly ids: WireIds },
): Promise<Connection> {
  const asked = scopesIn(record.scopeAsked);
  const granted = record.scopeGranted === undefined ? asked : scopesIn(record.scopeGranted);
  const missing = asked.filter((scope) => !granted.includes(scope));
  const seesAll = caller.ownOnly !== true || record.connectedBy === caller.actor;
  const { keyLabel, lastFailure, expiresAt } = record;
  return {
    provider: record.provider,
    workspaceId: await ids.workspace(caller.workspaceId),
    state: state === "notConnected" ? "expired" : state,
    ...(why !== undefined && { why, next: connectCommand(record.provider) }),
    connectedAt: record.connectedAt,
    ...(seesAll && { connectedBy: await ids.actor(record.connectedBy), ...(keyLabel !== undefined && { keyLabel }) }),
    scopes: granted,
    ...(missing.length > 0 && { missingScopes: missing }),
    ...(expiresAt !== undefined && { accessTokenExpiresAt: expiresAt }),
    renews: record.refreshToken !== undefined,
    ...(lastFailure !== undefined && { lastFailure }),
  };
}

export async function toAttempt(
  attempt: LoginAttempt,
  connection: Connection | undefined,
  ids: Pick<WireIds, "workspace">,
): Promise<ConnectionAttempt> {
  const { attemptId, login, by, phase, message, address, redirectUri, needsCode, expiresAtMs } = attempt;
  return {
    attemptId,
    provider: login.provider.provider,
    workspaceId: await ids.workspace(by.workspaceId),
    state: phase,
    ...(message !== undefined && { message }),
    address,
    redirectUri,
    scopes: scopesIn(login.auth.scope),
    needsCode,
    expiresAt: new Date(expiresAtMs).toISOString(),
    ...(connection !== undefined && { connection }),
  };
}

function scopesIn(text: string | undefined): string[] {
  return [...new Set((text ?? "").split(/[\s,]+/).filter((scope) => scope !== ""))];
}
