import { didYouMean } from "../../shared/near-misses.ts";
import type { WorkspaceRecord } from "../ledger/records/identity-records.ts";
import { wireWorkspaceId } from "./wire-ids.ts";

/**
 * The workspace that a person or a program names: by id, the identity provider's or this service's, by slug, or by a
 * unique name. The slug and the name are tried last: organisations choose their own names, and one may equal another's
 * id.
 */
export function pickWorkspace(
  workspaces: readonly WorkspaceRecord[],
  named: string,
  issuer: string | undefined,
): WorkspaceRecord | undefined {
  const byName = workspaces.filter(({ name }) => name === named);
  return (
    workspaces.find((workspace) => wireWorkspaceId(workspace, issuer) === named) ??
    // The former id on the wire, which profiles and scripts may still have.
    workspaces.find(({ workspaceId }) => workspaceId === named) ??
    workspaces.find(({ slug }) => slug === named) ??
    (byName.length === 1 ? byName[0] : undefined)
  );
}

/** `; did you mean "research"?`, for callers that may see all workspaces. */
export function nearWorkspaces(workspaces: readonly WorkspaceRecord[], named: string): string {
  return didYouMean(
    named,
    workspaces.map(({ slug, workspaceId }) => slug || workspaceId),
  );
}
