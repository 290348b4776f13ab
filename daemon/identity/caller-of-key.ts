import type { Caller } from "../http/callers/caller.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";

/** The workspace that somebody acts in. */
export type CallersWorkspace = Pick<Caller, "workspaceId" | "refusedWorkspace">;

/** The caller that a key makes, in a workspace that it may act in. */
export function callerOfKey<Workspace extends CallersWorkspace>(
  key: KeyRecord,
  workspace: Workspace,
): Caller & Workspace {
  return {
    kind: "API_KEY",
    actor: `API_KEY#${key.fingerprint}`,
    userId: key.owner,
    ...workspace,
    scopes: key.scopes,
    ...(key.role === "member" && { ownOnly: true }),
    operator: key.operator === true,
    key,
  };
}
