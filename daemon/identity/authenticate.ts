import type { WorkspaceId } from "../base/ids.ts";
import { ApiError } from "../../shared/errors.ts";
import type { Clock } from "../base/clock.ts";
import { oncePer } from "../base/once-per.ts";
import type { Authenticate, Credentials } from "../http/callers/access.ts";
import { hashCredential, parseKey } from "./api-keys.ts";
import { callerOfKey, type CallersWorkspace } from "./caller-of-key.ts";
import { callerOfSession } from "./caller-of-session.ts";
import type { Caller } from "../http/callers/caller.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import type { SignedIn, SignIn } from "./jwt/sign-in.ts";
import type { TokenClaims, VerifyToken } from "./jwt/token-verifier.ts";
import type { KeyUse } from "./key-use.ts";
import { statusOf } from "./key-status.ts";
import { nearWorkspaces, pickWorkspace } from "./named-workspace.ts";

export interface AuthenticateParts {
  readonly store: IdentityStore;
  readonly clock: Clock;
  readonly keyUse: Pick<KeyUse, "note">;
  /** The identity provider that the ids of workspaces come from; absent without one. */
  readonly issuer?: string | undefined;
  /** Absent: no identity provider is set, and access tokens are refused. */
  readonly tokens?: { readonly verify: VerifyToken; readonly signIn: SignIn };
}

/**
 * The only entry point: turns the credentials of a request into a caller, or into the same 401 whether they are
 * missing, malformed, unknown, expired or revoked. Every token is hashed and looked up once.
 * docs/contract.md, "Credentials"; docs/security.md, T15, T16 and T20.
 */
export function createAuthenticate({ store, clock, keyUse, issuer, tokens }: AuthenticateParts): Authenticate {
  return async (credentials) => {
    const { token, credential, hash } = presented(credentials);
    const found = await store.findKeyByHash(hash);
    if (credential !== undefined && found !== undefined && statusOf(found, clock.now()) === "ACTIVE") {
      const caller = await toCaller({ store, issuer, clock }, found, credentials);
      if (caller === undefined) throw unauthorized();
      keyUse.note(found.keyId);
      return caller;
    }
    const claims = credential === undefined ? await tokens?.verify(token) : undefined;
    if (tokens === undefined || claims === undefined) throw unauthorized();
    return await toSession({ store, issuer }, tokens.signIn, claims, credentials);
  };
}

/**
 * What credentials present. A request is authenticated when its head has arrived and again when its body has, because the
 * key may be revoked in between: where that is possible, the look-up is made twice, parsing and hashing once.
 */
const presented = oncePer(({ authorization = "" }: Credentials) => {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
  const credential = parseKey(token);
  return { token, credential, hash: hashCredential(credential ?? token) };
});

/** Undefined for a session of the console whose key has ended. */
async function toCaller(
  among: Among & Pick<AuthenticateParts, "clock">,
  key: KeyRecord,
  credentials: Credentials,
): Promise<Caller | undefined> {
  if (key.session !== undefined) return await toConsoleCaller(among, key, credentials);
  return callerOfKey(key, await chooseForKey(among, key, credentials));
}

/** A session acts in its own workspace only, whatever the one who opened it may. */
async function toConsoleCaller(
  { clock, ...among }: Among & Pick<AuthenticateParts, "clock">,
  session: KeyRecord,
  { workspaceId: name, isOwnClient }: Credentials,
): Promise<Caller | undefined> {
  const caller = await callerOfSession({ ...among, clock }, session);
  if (caller === undefined || name === undefined || name === session.workspaceId) return caller;
  return { ...caller, ...refusal(await isNamed(among, session.workspaceId, name), name, isOwnClient) };
}

/** Where workspaces are looked up, and which provider's ids name them. */
type Among = Pick<AuthenticateParts, "store" | "issuer">;

/** The key's own workspace; for an operator, any workspace that the request names. docs/contract.md, "Workspaces". */
async function chooseForKey(
  among: Among,
  { workspaceId, operator }: KeyRecord,
  { workspaceId: name, isOwnClient }: Credentials,
): Promise<CallersWorkspace & { readonly workspaceId: WorkspaceId }> {
  if (name === undefined || name === workspaceId) return { workspaceId };
  if (operator === true) {
    const all = await among.store.listWorkspaces();
    const found = pickWorkspace(all, name, among.issuer);
    if (found !== undefined) return { workspaceId: found.workspaceId };
    return { workspaceId, refusedWorkspace: { name, unknown: { advice: nearWorkspaces(all, name) } } };
  }
  return { workspaceId, ...refusal(await isNamed(among, workspaceId, name), name, isOwnClient) };
}

/** Older clients send the header with credentials that have a workspace, where it has never had a meaning. */
function refusal(isOwn: boolean, name: string, isOwnClient: boolean): Pick<Caller, "refusedWorkspace"> {
  return isOwn || !isOwnClient ? {} : { refusedWorkspace: { name } };
}

async function isNamed({ store, issuer }: Among, workspaceId: WorkspaceId, name: string): Promise<boolean> {
  const own = await store.findWorkspace(workspaceId);
  return own !== undefined && pickWorkspace([own], name, issuer) !== undefined;
}

/**
 * The caller of an access token: it has everything but the operator grant. It acts in the workspace of its
 * organisation; without one in that of `x-workspace-id`, by id, slug or the provider's id of the organisation, if its
 * user is a member. docs/contract.md, "Workspaces".
 */
async function toSession(among: Among, signIn: SignIn, claims: TokenClaims, credentials: Credentials): Promise<Caller> {
  const signedIn = await signIn(claims);
  const { userId } = signedIn;
  return {
    kind: "JWT",
    actor: `USER#${userId}`,
    userId,
    ...(await chooseForSession(among, signedIn, credentials)),
    tokenEndsAt: claims.endsAt,
    scopes: ["*"],
    operator: false,
  };
}

async function chooseForSession(
  among: Among,
  { userId, workspaceId: own }: SignedIn,
  { workspaceId: name, isOwnClient }: Credentials,
): Promise<CallersWorkspace> {
  if (own !== undefined) {
    const isOwn = name === undefined || (await isNamed(among, own, name));
    return { workspaceId: own, ...(name !== undefined && refusal(isOwn, name, isOwnClient)) };
  }
  if (name === undefined) return {};
  // Undefined both for a workspace of others and for one that does not exist.
  const found = pickWorkspace(await among.store.listWorkspacesOf(userId), name, among.issuer);
  return found === undefined ? refusal(false, name, isOwnClient) : { workspaceId: found.workspaceId };
}

function unauthorized(): ApiError {
  return new ApiError(
    "unauthorized",
    "Unauthorized: send a valid API key as Authorization: Bearer <key>; `mkt keys create` makes one",
    { headers: { "www-authenticate": "Bearer" } },
  );
}
