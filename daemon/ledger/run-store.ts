import type { MicroDollars } from "../../shared/micro-dollars.ts";
import type { RunRecord } from "./run-record.ts";

export interface RunFilter {
  readonly statuses?: readonly RunRecord["status"][];
  readonly provider?: string;
  readonly endpoint?: string;
  /** ISO 8601, inclusive. */
  readonly since?: string;
  /** ISO 8601, exclusive. */
  readonly until?: string;
  readonly tag?: { readonly key: string; readonly value: string };
  /** Label of the key as it is called now; that of a key that nobody knows any more, as it was called then. */
  readonly keyLabel?: string;
  /** Only runs of this key, whatever it was called. */
  readonly keyId?: string;
  /** Only runs that met this budget or run cap. */
  readonly controlId?: string;
}

/** The few facts of a run that sums are made of; money in micro-dollars, 0 until it has ended. */
export interface RunFacts {
  /** Number of the line that made the run known: the order of acceptance. */
  readonly seq: number;
  readonly runId: string;
  readonly status: RunRecord["status"];
  readonly provider: string;
  readonly endpoint: string;
  readonly keyId?: string;
  /** As the key is called now. */
  readonly keyLabel?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  readonly charged: MicroDollars;
  /** What it cost the service. */
  readonly cost: MicroDollars;
  /** What it cost above its hold, borne by the operator. */
  readonly overrun: MicroDollars;
}

/** A run without what may be large: what lists show. */
export type RunSummary = Omit<RunRecord, "input" | "output">;

/** The record of a run is damaged on the disk: what the index still knows of it. */
export interface DamagedRun {
  readonly damaged: RunFacts;
}

/** A page in which each run is there, readable or not. */
export interface WholeRunSlice {
  readonly items: readonly (RunSummary | DamagedRun)[];
  readonly next?: number;
}

/** One page, newest first. `next` is the place to continue from; absent on the last page. */
export interface RunSlice {
  readonly items: readonly RunSummary[];
  /** Those that lie among them and whose records are damaged, newest first. Absent: none. */
  readonly damaged?: readonly RunFacts[];
  readonly next?: number;
}

/** What runs need to read. Writes go through `commit(transaction)`. */
export interface RunStore {
  /** Only what is durable; a run of another workspace is not found. */
  findRun(workspaceId: string, runId: string): Promise<RunRecord | undefined>;
  /** Order is the order in which runs were accepted, never a clock's. `before`: `next` of the page before. */
  listRuns(
    workspaceId: string,
    filter: RunFilter,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<RunSlice>;
  /** As `listRuns`, but a record that is damaged is told in its place, and does not end it. */
  listWhatIsLeft(
    workspaceId: string,
    filter: RunFilter,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<WholeRunSlice>;
  /** Newest first; from the index alone, so that a year of runs can be summed without reading a record. */
  scanRuns(workspaceId: string, filter: RunFilter): AsyncIterable<RunFacts>;
  /** Every run that is not terminal, of all workspaces, oldest first: what a start has to settle. */
  listOpenRuns(): Promise<readonly RunRecord[]>;
}
