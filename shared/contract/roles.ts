import { z } from "zod";
import type { Scope } from "./scopes.ts";

/** The purpose of a key, in ascending order of rights. docs/contract.md, "Roles". */
export const KeyRole = z.enum(["member", "manager", "owner"]).meta({
  id: "KeyRole",
  description:
    "member: discovers, runs, reads and stops its own runs, sees what it has left. manager: also budgets, caps, the wallet, and members' keys and runs. owner: everything its creator has.",
});
export type KeyRole = z.infer<typeof KeyRole>;

/**
 * The scopes of a role. In addition a member can access only what its own key created. An owner has no fixed set: it
 * has the scopes of its maker.
 */
export const roleScopes: Readonly<Record<"member" | "manager", readonly Scope[]>> = {
  member: ["runs:create", "runs:read", "runs:update", "resources:read", "resources:delete", "wallet:read"],
  manager: ["runs:*", "resources:*", "wallet:*", "topups:*", "controls:*", "api_keys:*"],
};

/** Whether a key of one role may make one of the other. */
export function reaches(role: KeyRole, other: KeyRole): boolean {
  return KeyRole.options.indexOf(role) >= KeyRole.options.indexOf(other);
}
