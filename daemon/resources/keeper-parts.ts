import type { Catalog } from "../catalog/catalog.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { ResourceKeeper } from "../providers/protocol/provider.ts";
import type { Committer } from "../ledger/transaction.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";

/** What looking after resources needs. */
export interface KeeperParts {
  readonly store: Committer & Pick<ResourceStore, "listLiveResources" | "findHolder">;
  readonly catalog: Pick<Catalog, "findResource">;
  readonly provider: ResourceKeeper;
  readonly clock: Clock;
  readonly logger: Logger;
  /** True: rents are charged, and refused to nobody. */
  readonly unlimited: boolean;
  /** Interrupts calls to providers. */
  readonly signal: AbortSignal;
}
