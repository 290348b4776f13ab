import type { Catalog } from "../catalog/catalog.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { ResourceKeeper } from "../providers/protocol/provider.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { ResourceStore } from "../ledger/stores/resource-store.ts";

/** What renewing and releasing resources needs. */
export interface KeeperParts {
  readonly store: Committer & Pick<ResourceStore, "listLiveResources" | "findHolder">;
  readonly catalog: Pick<Catalog, "findResource">;
  readonly provider: ResourceKeeper;
  readonly clock: Clock;
  readonly logger: Logger;
  /** True: rents are always charged, whatever the balance. */
  readonly unlimited: boolean;
  /** Interrupts calls to providers. */
  readonly signal: AbortSignal;
}
