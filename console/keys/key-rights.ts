import type { ApiKey } from "../../shared/contract/api-keys.ts";
import type { KeyRole } from "../../shared/contract/roles.ts";
import { KEY_ROLES, reaches, roleScopes } from "../../shared/contract/role-scopes.ts";
import { grants } from "../../shared/contract/scope-grants.ts";
import type { Scope, ScopeCatalog } from "../../shared/contract/scopes.ts";
import { caller, isOperator, may } from "../service/rights.ts";

/** What this session can do with keys; the service decides again. docs/contract.md, "Roles" and "Scopes". */

/** The roles that a key of this one's making may have. */
export function rolesToGive(): readonly KeyRole[] {
  const { scopes = [], role } = caller.value?.credential ?? {};
  return KEY_ROLES.filter(
    (one) =>
      (role === undefined || reaches(role, one)) &&
      (one === "owner" || roleScopes[one].every((scope) => grants(scopes, scope))),
  );
}

export interface ScopeToGive {
  readonly scope: Scope;
  readonly description: string;
}

/** The scopes that this key has, one by one. */
export function scopesToGive({ resources }: ScopeCatalog): readonly ScopeToGive[] {
  const { scopes = [] } = caller.value?.credential ?? {};
  return resources
    .flatMap(({ key, actions }) =>
      actions.map((action) => ({ scope: `${key}:${action.key}` as Scope, description: action.description })),
    )
    .filter(({ scope }) => grants(scopes, scope));
}

/** Whether this key may rename another; sessions have no name of their own. */
export function mayRename(key: ApiKey): boolean {
  return may("updateApiKey") && key.session !== true && mayChange(key);
}

/** Whether this key may revoke another. */
export function mayRevoke(key: ApiKey): boolean {
  return may("revokeApiKey") && mayChange(key);
}

/** A manager changes only those of members and its own, and only an operator those of operators. */
function mayChange(key: ApiKey): boolean {
  if (key.status === "REVOKED" || (key.operator === true && !isOperator.value)) return false;
  const { credential } = caller.value ?? {};
  if (credential?.role !== "manager") return true;
  const isOwn = key.label === credential.label || key.createdBy === `API_KEY#${credential.fingerprint}`;
  return isOwn || key.role === "member" || (key.role === undefined && isNarrow(key));
}

/** Made with scopes alone, and within those of a member. */
function isNarrow({ scopes, operator }: ApiKey): boolean {
  return operator !== true && scopes.every((scope) => grants(roleScopes.member, scope));
}
