import type { IdentityStore } from "../identity/identity-store.ts";
import type { RunStore } from "../runs/run-store.ts";
import type { Committer } from "../transaction.ts";
import type { AccountStore } from "../wallet/account-store.ts";

/** One back end: what all features read, and the one way to write. The same contract suite runs on every store. */
export interface Store extends Committer, RunStore, IdentityStore, AccountStore {
  /** Waits for what is under way, then lets go of the data folder. */
  close(): Promise<void>;
}
