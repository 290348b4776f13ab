import type { WorkspaceId } from "../../base/ids.ts";
import type { ApprovalLine } from "../../ledger/approval-lines.ts";
import type { ApprovalRuleRecord } from "../../ledger/approval-records.ts";

/** Approval rules: workspace id → rule id → rule, in the order of creation. */
export interface ApprovalsBook {
  readonly byWorkspace: Map<string, Map<string, ApprovalRuleRecord>>;
}

export function emptyApprovalsBook(): ApprovalsBook {
  return { byWorkspace: new Map() };
}

export function applyApproval(book: ApprovalsBook, line: ApprovalLine): void {
  const own = book.byWorkspace.get(line.ws) ?? new Map<string, ApprovalRuleRecord>();
  book.byWorkspace.set(line.ws, own);
  if (line.t === "approval.ruleDeleted") own.delete(line.ruleId);
  else own.set(line.rule.ruleId, line.rule);
}

export function listApprovalRules(book: ApprovalsBook, workspaceId: WorkspaceId): readonly ApprovalRuleRecord[] {
  const own = book.byWorkspace.get(workspaceId);
  return own === undefined ? NONE : [...own.values()];
}

const NONE: readonly ApprovalRuleRecord[] = [];
