import type { Scope } from "./scopes.ts";

/** The purposes of keys, in ascending order of rights. docs/contract.md, "Roles". */
export const KEY_ROLES = ["member", "manager", "owner"] as const;
type Role = (typeof KEY_ROLES)[number];

/**
 * The scopes of a role. In addition a member can access only what its own key created. An owner has no fixed set: it
 * has the scopes of its maker.
 */
export const roleScopes: Readonly<Record<"member" | "manager", readonly Scope[]>> = {
  member: ["runs:create", "runs:read", "runs:update", "resources:read", "resources:delete", "wallet:read"],
  manager: ["runs:*", "resources:*", "wallet:*", "topups:*", "controls:*", "api_keys:*"],
};

/** Whether a key of one role may make one of the other. */
export function reaches(role: Role, other: Role): boolean {
  return KEY_ROLES.indexOf(role) >= KEY_ROLES.indexOf(other);
}
