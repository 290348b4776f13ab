import type { ApprovalStore } from "../ledger/approval-store.ts";
import type { ConsoleStore } from "../ledger/console-store.ts";
import type { ControlStore } from "../ledger/control-store.ts";
import type { IdempotencyStore } from "../ledger/idempotency-store.ts";
import type { IdentityStore } from "../ledger/identity-store.ts";
import type { LineFeed } from "../ledger/line-feed.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";
import type { ReuseStore } from "../ledger/reuse-store.ts";
import type { RunStore } from "../ledger/run-store.ts";
import type { ScheduleStore } from "../ledger/schedule-store.ts";
import type { Committer } from "../ledger/transaction.ts";
import type { AccountStore } from "../ledger/account-store.ts";
import type { WebhookStore } from "../ledger/webhook-store.ts";

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
