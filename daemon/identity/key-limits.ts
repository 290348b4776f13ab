import { reaches, roleScopes } from "../../shared/contract/role-scopes.ts";
import type { KeyRole } from "../../shared/contract/roles.ts";
import type { Scope } from "../../shared/contract/scopes.ts";
import { ApiError } from "../../shared/errors.ts";
import type { Clock } from "../base/clock.ts";
import type { Caller, CallerKey, WorkspaceCaller } from "../http/callers/caller.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";
import { findExcess } from "./scopes.ts";

/** The default scopes of a key that a session makes: everything but controls. docs/contract.md, "Scopes". */
const SESSION_DEFAULTS: readonly Scope[] = ["runs:*", "resources:*", "wallet:*", "topups:*", "api_keys:*"];

/** The default grants of a key: a key that makes another passes on its own. */
export function defaultScopesOf(caller: Pick<Caller, "kind" | "scopes">): readonly string[] {
  return caller.kind === "JWT" ? SESSION_DEFAULTS : caller.scopes;
}

/** The role of a new key: the requested one, or that of the key that makes it. 403 for a higher one. */
export function roleWithin({ key }: WorkspaceCaller, wanted: KeyRole | undefined): KeyRole | undefined {
  if (wanted !== undefined && key?.role !== undefined && !reaches(key.role, wanted)) {
    const message = `role: a key cannot pass on more than its own role, and this one is a ${key.role}'s (got ${wanted})`;
    throw new ApiError("forbidden", message, { errorCode: "INSUFFICIENT_SCOPE" });
  }
  return wanted ?? key?.role;
}

/**
 * The grants of a new key: the requested ones, the requested role's, or the caller's defaults. 403 for more than the
 * caller has, 400 for more than the role has. docs/contract.md, "Scopes" and "Roles".
 */
export function scopesWithin(
  caller: WorkspaceCaller,
  { role, scopes }: { readonly role?: KeyRole | undefined; readonly scopes?: readonly string[] | undefined },
): string[] {
  const ofRole = role === "owner" ? caller.scopes : role && roleScopes[role];
  const wanted = scopes ?? ofRole;
  if (wanted === undefined) {
    return [...defaultScopesOf(caller)];
  }
  const beyond = scopes === undefined || ofRole === undefined ? undefined : findExcess(ofRole, scopes);
  if (role !== "owner" && beyond !== undefined) {
    const most = ofRole?.join(", ");
    throw new ApiError("invalidInput", `scopes: ${beyond} is more than the role ${role} has; it has ${most}`);
  }
  const excess = findExcess(caller.scopes, wanted);
  if (excess !== undefined) {
    throw new ApiError("forbidden", `scopes: a key cannot pass on ${excess}, which it does not have itself`, {
      errorCode: "INSUFFICIENT_SCOPE",
    });
  }
  return [...new Set(wanted)];
}

/**
 * The expiry of a new key, in UTC; 400 unless it is in the future and its year has four digits, as ISO 8601 requires. A
 * key with an expiry cannot make one that expires later.
 */
export function expiryWithin(caller: WorkspaceCaller, wanted: string | undefined, clock: Clock): string | undefined {
  const own = caller.session?.expiresAt ?? caller.key?.expiresAt;
  if (wanted === undefined) {
    return own;
  }
  if (Date.parse(wanted) <= clock.now()) {
    throw new ApiError("invalidInput", `expiresAt: must be in the future (got "${wanted}")`);
  }
  if (own !== undefined && Date.parse(wanted) > Date.parse(own)) {
    throw new ApiError("invalidInput", `expiresAt: must not be after ${own}, when the key that makes it ends`);
  }
  const end = new Date(wanted);
  // An offset may move the last hours of 9999 into the next year.
  if (end.getUTCFullYear() > 9999) {
    throw new ApiError("invalidInput", `expiresAt: must be before the year 10000 in UTC (got "${wanted}")`);
  }
  return end.toISOString();
}

/**
 * The operator grant is never inherited; only an operator passes it on. docs/contract.md, "Operator". Scopes do not
 * limit it, so a key with narrower scopes would only look harmless: 400.
 */
export function operatorGrant(
  caller: WorkspaceCaller,
  wanted: boolean | undefined,
  scopes: readonly string[],
): boolean {
  if (wanted !== true) {
    return false;
  }
  if (!caller.operator) {
    throw new ApiError("forbidden", "operator: only an operator can pass on the operator grant");
  }
  if (!scopes.includes("*")) {
    const words = `scopes do not limit a key that has the operator grant (got ${scopes.join(", ")})`;
    throw new ApiError("invalidInput", `operator: ${words}; leave out operator, or ask for the scope *`);
  }
  return true;
}

/**
 * Only operators may change a key with the operator grant, whatever the scopes of others. A manager's key may change
 * those of members, those that it made, and itself. Otherwise 403.
 */
export function checkMayChange(caller: WorkspaceCaller, key: KeyRecord): void {
  if (caller.key?.role === "manager" && !isWithinManager(caller.key, caller.actor, key)) {
    throw new ApiError(
      "forbidden",
      `"${key.label}" is not a member's key: a manager can rename and revoke only members' keys`,
    );
  }
  if (key.operator === true && !caller.operator) {
    const message = `"${key.label}" has the operator grant: only a key that has it too may rename or revoke it`;
    throw new ApiError("forbidden", message);
  }
}

function isWithinManager({ keyId }: CallerKey, actor: string, key: KeyRecord): boolean {
  if (key.keyId === keyId || key.createdBy === actor) return true;
  // A key that was made with scopes alone, and may do no more than a member.
  const isNarrow = key.role === undefined && findExcess(roleScopes.member, key.scopes) === undefined;
  return key.operator !== true && (key.role === "member" || isNarrow);
}
