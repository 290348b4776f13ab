import type { WorkspaceId } from "../../base/ids.ts";
import type { RunRecord } from "../records/run-record.ts";

export interface KeptRunQuery {
  readonly workspaceId: WorkspaceId;
  /** From `keptUnder`. */
  readonly key: string;
  /** Only runs of this API key; absent: those of the whole workspace. */
  readonly keyId?: string;
  /** When the run ended, ISO 8601, both inclusive. */
  readonly from: string;
  readonly until: string;
}

/** What the reuse of answers needs to read. */
export interface ReuseStore {
  /** The newest run of the query, with its output; undefined also if retention has removed that. */
  findKeptRun(query: KeptRunQuery): Promise<RunRecord | undefined>;
}
