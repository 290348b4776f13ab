import type { Catalog } from "../catalog/catalog.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { ResourceKeeper } from "../providers/provider.ts";
import type { Committer } from "../transaction.ts";
import type { ResourceRecord } from "./resource-record.ts";
import type { ResourceStore } from "./resource-store.ts";

/** What looking after resources needs. */
export interface KeeperParts {
  readonly store: Committer & Pick<ResourceStore, "listLiveResources">;
  readonly catalog: Pick<Catalog, "findResource">;
  readonly provider: ResourceKeeper;
  readonly clock: Clock;
  readonly logger: Logger;
  /** True: rents are charged, and refused to nobody. */
  readonly unlimited: boolean;
  /** Interrupts calls to providers. */
  readonly signal: AbortSignal;
}

/** A change without money, taken only while the resource still is as it was. Rejects with `GuardFailed` otherwise. */
export async function commitChange(
  { store }: Pick<KeeperParts, "store">,
  { before, after }: { readonly before: ResourceRecord; readonly after: ResourceRecord },
): Promise<void> {
  const { workspaceId, resourceId, revision } = before;
  await store.commit({
    line: { t: "resource.changed", v: 1, at: after.updatedAt, ws: workspaceId, resource: after, led: [] },
    guards: [{ kind: "resourceRevision", resourceId, revision }],
  });
}
