import type { CatalogEntry, CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import { findLogin, type LoginAuth } from "../manifest/login-auth.ts";
import { originOf } from "../manifest/url-origin.ts";
import type { ConnectionBinding, ConnectionRecord } from "./connection-record.ts";

/** Whether a connection can be used; if not, only a new login helps. */
export type ConnectionState = "connected" | "expired" | "revoked" | "interrupted" | "changed";

export interface ConnectionStanding {
  readonly state: ConnectionState | "notConnected";
  /** Why it cannot be used, with the command to type; absent if it can be. */
  readonly why?: string;
}

/** What a provider's file says of its login now. */
export interface LoginNow {
  readonly provider: CatalogProvider;
  readonly auth: LoginAuth;
  readonly clientId: string;
}

/** Judges a connection by what is recorded and by what the file says now. `baseUrl`: of the call, if there is one. */
export function standingOf(
  record: ConnectionRecord | undefined,
  login: LoginNow,
  { nowMs, baseUrl }: { readonly nowMs: number; readonly baseUrl?: string },
): ConnectionStanding {
  const { provider } = login.provider;
  const again = `connect again: ${connectCommand(provider)}`;
  if (record === undefined) {
    const why = `this workspace has no account connected at ${provider}: ${connectCommand(provider)}`;
    return { state: "notConnected", why };
  }
  if (record.revokedAt !== undefined) {
    return { state: "revoked", why: `the connection of this workspace to ${provider} was revoked there; ${again}` };
  }
  // Where renewals leave the refresh token as it is, it is still good.
  if (record.renewingSince !== undefined && record.rotates !== false) {
    return { state: "interrupted", why: interruptedWords(provider) };
  }
  const change = changeOf(record.binding, login, baseUrl);
  if (change !== undefined) {
    const why = `the connection of this workspace to ${provider} was made before its file changed (${change}), and its tokens are not sent there; ${again}`;
    return { state: "changed", why };
  }
  const isOver = record.expiresAt !== undefined && Date.parse(record.expiresAt) <= nowMs;
  if (record.refreshToken === undefined && (record.accessToken === undefined || isOver)) {
    const why = `the connection of this workspace to ${provider} has expired, and the provider gave nothing to renew it; ${again}`;
    return { state: "expired", why };
  }
  return { state: "connected" };
}

export function interruptedWords(provider: string): string {
  return `a renewal of the connection to ${provider} was sent, and its answer was lost, so that its refresh token may be spent; connect again: ${connectCommand(provider)}`;
}

export function connectCommand(provider: string): string {
  return `mkt connect ${provider}`;
}

/** What the tokens of a login are bound to. `entries`: the provider's endpoints at the time of the login. */
export function bindingOf({ auth, clientId }: LoginNow, entries: readonly CatalogEntry[]): ConnectionBinding {
  const called = entries.filter(({ http }) => findLogin(http.auth) !== undefined).map(({ http }) => http.baseUrl);
  return {
    clientId,
    ...(auth.issuer !== undefined && { issuer: auth.issuer }),
    loginOrigins: originsOf(tokenAddresses(auth)),
    loginAddresses: [...new Set(tokenAddresses(auth))].sort(),
    apiOrigins: originsOf(called),
  };
}

/** What is no longer as it was at the login; undefined if the tokens may go where the file says now. */
function changeOf(bound: ConnectionBinding, { auth, clientId }: LoginNow, baseUrl: string | undefined) {
  const known = new Set(bound.loginOrigins);
  if (originsOf(tokenAddresses(auth)).some((origin) => !known.has(origin))) return "the addresses of the login";
  const { loginAddresses } = bound;
  const isElsewhere = tokenAddresses(auth).some((address) => loginAddresses?.includes(address) === false);
  if (isElsewhere) return "the addresses of the login";
  if (auth.issuer !== bound.issuer) return "the issuer";
  if (clientId !== bound.clientId) return "the client id";
  const origin = baseUrl === undefined ? undefined : originOf(baseUrl);
  return origin !== undefined && !bound.apiOrigins.includes(origin) ? "the address of the API" : undefined;
}

/** The addresses that get tokens or codes. */
function tokenAddresses({ tokenUrl, refreshUrl, revocationUrl }: LoginAuth): readonly string[] {
  return [tokenUrl, refreshUrl, revocationUrl].filter((url) => url !== undefined);
}

function originsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.flatMap((url) => originOf(url) ?? []))].sort();
}
