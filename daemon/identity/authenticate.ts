import { ApiError } from "../../shared/errors.ts";
import type { Clock } from "../clock.ts";
import type { Authenticate, Credentials } from "../http/access.ts";
import { hashCredential, parseKey } from "./api-keys.ts";
import type { Caller } from "../http/caller.ts";
import type { KeyRecord } from "./identity-records.ts";
import type { IdentityStore } from "./identity-store.ts";
import type { SignIn } from "./jwt/sign-in.ts";
import type { TokenClaims, VerifyToken } from "./jwt/token-verifier.ts";
import type { KeyUse } from "./key-use.ts";
import { statusOf } from "./key-status.ts";

export interface AuthenticateParts {
  readonly store: IdentityStore;
  readonly clock: Clock;
  readonly keyUse: Pick<KeyUse, "note">;
  /** Absent: no identity provider is set, and no access token is taken. */
  readonly tokens?: { readonly verify: VerifyToken; readonly signIn: SignIn };
}

/**
 * The one door: what a request says about its sender becomes a caller, or the same 401 whether the credentials are missing,
 * malformed, unknown, expired or revoked. Every token is hashed and looked up once. Spec: Authentication; security design,
 * T15, T16 and T20.
 */
export function createAuthenticate({ store, clock, keyUse, tokens }: AuthenticateParts): Authenticate {
  return async (credentials) => {
    const token = /^Bearer +(\S+) *$/i.exec(credentials.authorization ?? "")?.[1] ?? "";
    const credential = parseKey(token);
    const found = await store.findKeyByHash(hashCredential(credential ?? token));
    if (credential !== undefined && found !== undefined && statusOf(found, clock.now()) === "ACTIVE") {
      keyUse.note(found.keyId);
      return toCaller(found);
    }
    const claims = credential === undefined ? await tokens?.verify(token) : undefined;
    if (tokens === undefined || claims === undefined) throw unauthorized();
    return await toSession(store, tokens.signIn, claims, credentials);
  };
}

/** The actor that runs and records name for a key. */
function actorOf(key: Pick<KeyRecord, "fingerprint">): string {
  return `API_KEY#${key.fingerprint}`;
}

function toCaller(key: KeyRecord): Caller {
  return {
    kind: "API_KEY",
    actor: actorOf(key),
    userId: key.owner,
    workspaceId: key.workspaceId,
    scopes: key.scopes,
    operator: key.operator === true,
    key,
  };
}

/**
 * The caller behind an access token: everything but the operator grant. It acts in the workspace of its organisation; without
 * one in that of `x-workspace-id`, by id, slug or the provider's id of the organisation, if its user is a member. Contract semantics, 1.
 */
async function toSession(
  store: IdentityStore,
  signIn: SignIn,
  claims: TokenClaims,
  { workspaceId: named }: Credentials,
): Promise<Caller> {
  const { userId, workspaceId: own } = await signIn(claims);
  const workspaceId = own ?? (named === undefined ? undefined : await findMembership(store, userId, named));
  return {
    kind: "JWT",
    actor: `USER#${userId}`,
    userId,
    ...(workspaceId !== undefined && { workspaceId }),
    scopes: ["*"],
    operator: false,
  };
}

/** Undefined alike for a workspace of others and for one that is not there. */
async function findMembership(store: IdentityStore, userId: string, named: string): Promise<string | undefined> {
  const own = await store.listWorkspacesOf(userId);
  // The slug last: it comes from a name that an organisation gives itself, which may be the id of another.
  const found =
    own.find(({ workspaceId, organisation }) => workspaceId === named || organisation?.id === named) ??
    own.find(({ slug }) => slug === named);
  return found?.workspaceId;
}

function unauthorized(): ApiError {
  return new ApiError(
    "unauthorized",
    "Unauthorized: send a valid API key as Authorization: Bearer <key>; `mkt keys create` makes one",
    { headers: { "www-authenticate": "Bearer" } },
  );
}
