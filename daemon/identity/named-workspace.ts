import { didYouMean } from "../../shared/near-misses.ts";
import type { WorkspaceRecord } from "../ledger/identity-records.ts";
import { wireWorkspaceId } from "./wire-ids.ts";

/**
 * The workspace that a person or a program means: by id, the identity provider's own or this service's, by slug, or by a
 * name that no other has. The slug and the name come last: organisations give themselves names, and one may be the id of
 * another.
 */
export function pickWorkspace(
  workspaces: readonly WorkspaceRecord[],
  named: string,
  issuer: string | undefined,
): WorkspaceRecord | undefined {
  const byName = workspaces.filter(({ name }) => name === named);
  return (
    workspaces.find((workspace) => wireWorkspaceId(workspace, issuer) === named) ??
    // What the wire once called it: profiles and scripts may have it.
    workspaces.find(({ workspaceId }) => workspaceId === named) ??
    workspaces.find(({ slug }) => slug === named) ??
    (byName.length === 1 ? byName[0] : undefined)
  );
}

/** `; did you mean "research"?`, for those who may know all workspaces. */
export function nearWorkspaces(workspaces: readonly WorkspaceRecord[], named: string): string {
  return didYouMean(
    named,
    workspaces.map(({ slug, workspaceId }) => slug || workspaceId),
  );
}
