import type { ApprovalStore } from "../ledger/stores/approval-store.ts";
import type { ConsoleStore } from "../ledger/stores/console-store.ts";
import type { ControlStore } from "../ledger/stores/control-store.ts";
import type { IdempotencyStore } from "../ledger/stores/idempotency-store.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import type { LineFeed } from "../ledger/stores/line-feed.ts";
import type { ResourceStore } from "../ledger/stores/resource-store.ts";
import type { ReuseStore } from "../ledger/stores/reuse-store.ts";
import type { RunStore } from "../ledger/stores/run-store.ts";
import type { ScheduleStore } from "../ledger/stores/schedule-store.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import type { WebhookStore } from "../ledger/stores/webhook-store.ts";

/** What all features read. */
export interface StoreReads
  extends
    RunStore,
    ReuseStore,
    IdentityStore,
    AccountStore,
    ControlStore,
    ApprovalStore,
    ResourceStore,
    ScheduleStore,
    ConsoleStore,
    LineFeed,
    IdempotencyStore,
    WebhookStore {
  /** Another number whenever what is known of keys, users or workspaces may have changed, as far as it is durable. */
  identityRevision(): number;
}

/** One back end: what all features read, and the one way to write. The same contract suite runs on every store. */
export interface Store extends Committer, StoreReads, AsyncDisposable {
  /** False while the disk is full: what may wait is refused with `DiskFull`, what ends runs is still recorded. */
  hasRoom(): boolean;
  /** Waits for what is under way, then lets go of the data folder. */
  close(): Promise<void>;
}
