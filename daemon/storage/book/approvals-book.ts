import type { WorkspaceId } from "../../base/ids.ts";
import type { ApprovalLine } from "../../ledger/lines/approval-lines.ts";
import type { ApprovalRuleRecord } from "../../ledger/records/approval-records.ts";
import type { KeyRecord } from "../../ledger/records/identity-records.ts";

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

/** Rules for a key that has ended hold for the one that takes its place, and go on holding for the keys that the former one made. */
export function followKey(
  book: ApprovalsBook,
  ended: readonly string[],
  { keyId, label, fingerprint }: KeyRecord,
): void {
  for (const own of book.byWorkspace.values()) {
    for (const rule of own.values()) {
      const { key: former, formerKeys = [] } = rule;
      if (former === undefined || !ended.includes(former.keyId)) continue;
      own.set(rule.ruleId, {
        ...rule,
        key: { keyId, label, actor: `API_KEY#${fingerprint}` },
        formerKeys: [...formerKeys, { keyId: former.keyId, actor: former.actor }],
      });
    }
  }
}

export function listApprovalRules(book: ApprovalsBook, workspaceId: WorkspaceId): readonly ApprovalRuleRecord[] {
  const own = book.byWorkspace.get(workspaceId);
  return own === undefined ? NONE : [...own.values()];
}

const NONE: readonly ApprovalRuleRecord[] = [];
