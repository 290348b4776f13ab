import type { WorkspaceId } from "../../base/ids.ts";
import type { ApprovalRuleRecord } from "../records/approval-records.ts";

/** What approval rules need to read; only what is durable. Writes go through `commit(transaction)`. */
export interface ApprovalStore {
  /** In the order of creation; deleted ones are gone. */
  listApprovalRules(workspaceId: WorkspaceId): Promise<readonly ApprovalRuleRecord[]>;
}
