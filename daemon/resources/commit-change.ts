import type { Committer } from "../ledger/transaction/transaction.ts";
import type { ResourceRecord } from "../ledger/records/resource-record.ts";

/**
 * Commits a change without money if the resource has not changed since it was read; else rejects with `GuardFailed`.
 */
export async function commitChange(
  store: Committer,
  { before, after }: { readonly before: ResourceRecord; readonly after: ResourceRecord },
): Promise<void> {
  const { workspaceId, resourceId, revision } = before;
  await store.commit({
    line: { t: "resource.changed", v: 1, at: after.updatedAt, ws: workspaceId, resource: after, led: [] },
    guards: [{ kind: "resourceRevision", resourceId, revision }],
  });
}
