import type { Committer } from "../ledger/transaction.ts";
import type { ResourceRecord } from "../ledger/resource-record.ts";

/** A change without money, taken only while the resource still is as it was. Rejects with `GuardFailed` otherwise. */
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
