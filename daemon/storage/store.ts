import type { ControlStore } from "../controls/control-store.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import type { IdentityStore } from "../identity/identity-store.ts";
import type { ResourceStore } from "../resources/resource-store.ts";
import type { RunStore } from "../runs/run-store.ts";
import type { Committer } from "../transaction.ts";
import type { AccountStore } from "../wallet/account-store.ts";

/** What all features read. */
export interface StoreReads
  extends RunStore, IdentityStore, AccountStore, ControlStore, ResourceStore, IdempotencyStore {}

/** One back end: what all features read, and the one way to write. The same contract suite runs on every store. */
export interface Store extends Committer, StoreReads {
  /** False while the disk is full: what may wait is refused with `DiskFull`, what ends runs is still recorded. */
  hasRoom(): boolean;
  /** Waits for what is under way, then lets go of the data folder. */
  close(): Promise<void>;
}
