import { grants } from "../../../shared/contract/scope-grants.ts";
import { onlyKeyOf, type WorkspaceCaller } from "../../http/callers/caller.ts";
import type { LiveEvent } from "./events-of-line.ts";

/** Whether a caller may read what the event is about. */
export function mayLearn(caller: WorkspaceCaller, { workspaceId, scope, keyId, type }: LiveEvent): boolean {
  if (workspaceId !== undefined && workspaceId !== caller.workspaceId) return false;
  if (scope === "operator") return caller.operator;
  if (scope !== undefined && !grants(caller.scopes, scope)) return false;
  const own = onlyKeyOf(caller);
  // Runs, what they made and schedules belong to a key; the rest is what its scopes show of the workspace.
  return own === undefined || !["run", "approval", "resource", "schedule"].includes(type) || keyId === own.keyId;
}
