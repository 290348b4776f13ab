import { ApiError } from "../../shared/errors.ts";
import type { Clock } from "../clock.ts";
import type { Authenticate } from "../http/access.ts";
import { hashCredential, parseKey } from "./api-keys.ts";
import type { Caller } from "../http/caller.ts";
import type { KeyRecord } from "./identity-records.ts";
import type { IdentityStore } from "./identity-store.ts";
import { statusOf } from "./key-status.ts";

/**
 * The one door: what a request says about its sender becomes a caller, or the same 401 whether the credentials are missing,
 * malformed, unknown, expired or revoked. Every token is hashed and looked up once. Spec: Authentication; security design,
 * T15 and T20.
 */
export function createAuthenticate({ store, clock }: { store: IdentityStore; clock: Clock }): Authenticate {
  return async ({ authorization }) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";
    const credential = parseKey(token);
    const found = await store.findKeyByHash(hashCredential(credential ?? token));
    if (credential === undefined || found === undefined || statusOf(found, clock.now()) !== "ACTIVE") {
      throw unauthorized();
    }
    return toCaller(found);
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

function unauthorized(): ApiError {
  return new ApiError(
    "unauthorized",
    "Unauthorized: send a valid API key as Authorization: Bearer <key>; `mkt keys create` makes one",
    { headers: { "www-authenticate": "Bearer" } },
  );
}
