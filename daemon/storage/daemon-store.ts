import type { Cluster } from "../cluster/cluster.ts";
import type { BackupStore } from "../operator/backup-store.ts";
import type { OutputRemover } from "../operator/retention.ts";
import type { Scrubbing, ScrubParts } from "./journal/scrub/scrub.ts";
import type { Store } from "./store.ts";

/** What a daemon asks of the store that it is opened on, beyond what features do. */
export interface DaemonStore extends Store, OutputRemover, BackupStore {
  /** Number of the newest line at the start; 0 in a new store. */
  readonly lastNumber: number;
  /** The daemons that work on it. Absent: this one is alone. */
  readonly cluster?: Cluster;
  /** The process ends: writes that wait for room, or for a database, are tried once more and fail for good. */
  endWaits(): void;
  /** Starts the slow background check of what is stored; call it once. Absent: the engine below checks by itself. */
  startScrub?(parts: ScrubParts): Scrubbing;
  /**
   * Resolves when what any daemon has acknowledged is seen here. Rejects with `StoreAway`. Absent: no other daemon writes,
   * so nobody need ask.
   */
  refresh?(): Promise<void>;
  /** Undefined: the store answers. Otherwise since when it does not, ISO 8601. Absent: a store that fails ends its process. */
  awaySince?(): string | undefined;
}
