import type { WorkspaceId } from "../../base/ids.ts";
import type { ControlRecord } from "../records/control-records.ts";

/** What controls need to read; only what is durable. Writes go through `commit(transaction)`. */
export interface ControlStore {
  /** In the order of creation; deleted ones are gone. */
  listControls(workspaceId: WorkspaceId): Promise<readonly ControlRecord[]>;
}
