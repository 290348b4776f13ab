import type { RunId, WorkspaceId } from "../../base/ids.ts";
import type { RunFacts } from "../records/run-facts.ts";
import type { RunRecord } from "../records/run-record.ts";
import type { Group, RunGrouping, RunSums } from "./run-sums.ts";

export interface RunFilter {
  readonly statuses?: readonly RunRecord["status"][];
  readonly provider?: string;
  readonly endpoint?: string;
  /** ISO 8601, inclusive. */
  readonly since?: string;
  /** ISO 8601, exclusive. */
  readonly until?: string;
  readonly tag?: { readonly key: string; readonly value: string };
  /** The key's present label; for a key that no longer exists, its label at the time. */
  readonly keyLabel?: string;
  /** Only runs of this key, whatever its label was. */
  readonly keyId?: string;
  /** Only runs that met this budget or run cap. */
  readonly controlId?: string;
}

/** A run without its large members, as in lists. */
export type RunSummary = Omit<RunRecord, "input" | "output">;

/** What the index still knows of a run whose record is damaged on the disk. */
export interface DamagedRun {
  readonly damaged: RunFacts;
}

/** A page that contains all runs, readable or not. */
export interface WholeRunSlice {
  readonly items: readonly (RunSummary | DamagedRun)[];
  readonly next?: number;
}

/** One page, newest first. `next` is the position where the next page starts; absent on the last page. */
export interface RunSlice {
  readonly items: readonly RunSummary[];
  /** Runs of this page whose records are damaged, newest first. Absent: none. */
  readonly damaged?: readonly RunFacts[];
  readonly next?: number;
}

/** What runs need to read. Writes go through `commit(transaction)`. */
export interface RunStore {
  /** Only what is durable; a run of another workspace is not found. */
  findRun(workspaceId: WorkspaceId, runId: RunId): Promise<RunRecord | undefined>;
  /** Order is the order in which runs were accepted, never a clock's. `before`: `next` of the page before. */
  listRuns(
    workspaceId: WorkspaceId,
    filter: RunFilter,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<RunSlice>;
  /** As `listRuns`, but a damaged record is listed as such and does not make the call fail. */
  listWhatIsLeft(
    workspaceId: WorkspaceId,
    filter: RunFilter,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<WholeRunSlice>;
  /** Newest first; from the index alone, without reading a record. */
  scanRuns(workspaceId: WorkspaceId, filter: RunFilter): AsyncIterable<RunFacts>;
  /**
   * What the runs of a scan come to, by group: from sums that are kept beside them where these can tell. Rejects with RangeError
   * if a sum is not a safe integer.
   */
  sumRuns(workspaceId: WorkspaceId, filter: RunFilter, by: RunGrouping): Promise<ReadonlyMap<Group, RunSums>>;
  /** Every open run of all workspaces as it is at the call, oldest first, for a start to resume. */
  listOpenRuns(): Promise<readonly RunRecord[]>;
}
