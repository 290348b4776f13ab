import type {
  Approval,
  ApprovalPage,
  ApprovalRule,
  ApprovalStatus,
  RunApproval as WireRunApproval,
} from "../../shared/contract/approvals.ts";
import { toDollars, toMoney } from "../../shared/micro-dollars.ts";
import { toRunPrice } from "../billing/public-price.ts";
import {
  type ApprovalDecision,
  type ApprovalRuleRecord,
  type RunApproval,
  waitsForApproval,
} from "../ledger/records/approval-records.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import type { CandidateRecord } from "../ledger/records/run-route.ts";
import type { RunSummary } from "../ledger/stores/run-store.ts";

type Asked = Pick<RunSummary, "status" | "heldMicroDollars">;

/** The approval that a run needs, without who decided: that is for those who read the run. */
export function toOutcome(run: Asked, approval: RunApproval): WireRunApproval {
  const { aboveMicroDollars, expiresAt, decision } = approval;
  return {
    status: statusOf({ ...run, approval }),
    above: toMoney(aboveMicroDollars),
    maximum: toMoney(run.heldMicroDollars),
    expiresAt,
    ...(decision !== undefined && { decidedAt: decision.at }),
    ...(decision?.reason !== undefined && { reason: decision.reason }),
  };
}

/** `approval.decision.by` as on the wire. */
export function toRunApproval(run: Asked, approval: RunApproval): WireRunApproval {
  const { by, keyLabel } = approval.decision ?? {};
  return {
    ...toOutcome(run, approval),
    ...(by !== undefined && { decidedBy: by }),
    ...(keyLabel !== undefined && { decidedByKey: keyLabel }),
  };
}

/** Actors of the run as on the wire. */
export function toApproval(run: RunRecord, approval: RunApproval): Approval {
  const { goesOnTo, ...item } = toApprovalItem(run, approval);
  const members = goesOnTo?.map((member, at) => ({ ...member, ...inputOf(run, run.route?.next[at]) }));
  return { ...item, ...(members !== undefined && { goesOnTo: members }), input: run.input };
}

function inputOf(
  { input, route }: RunRecord,
  member: CandidateRecord | undefined,
): Pick<RunRecord, "input"> | undefined {
  return member && { input: member.input ?? route?.input ?? input };
}

export function toApprovalItem(run: RunSummary, approval: RunApproval): ApprovalPage["items"][number] {
  return {
    runId: run.runId,
    ...toRunApproval(run, approval),
    provider: run.provider,
    providerName: run.providerName,
    endpoint: run.endpoint,
    inputDigest: approval.inputDigest,
    manifestHash: run.manifestHash,
    ...routeOf(run),
    price: toRunPrice(run.price),
    estimate: toMoney(approval.estimateMicroDollars),
    caller: run.caller,
    ...(run.keyLabel !== undefined && { keyLabel: run.keyLabel }),
    ruleId: approval.ruleId,
    ...(run.tags !== undefined && { tags: run.tags }),
    createdAt: run.createdAt,
  };
}

/** The route that was asked for, and the members that the run may go on to: a yes is for them as well. */
function routeOf({ route }: RunSummary): Pick<Approval, "route" | "goesOnTo"> {
  if (route === undefined) return {};
  const goesOnTo = route.next.map(({ provider, endpoint, manifestHash, price, maximumMicroDollars }) => ({
    provider,
    endpoint,
    manifestHash,
    price: toRunPrice(price),
    maximum: toMoney(maximumMicroDollars),
  }));
  const { provider, endpoint } = route;
  return { route: { provider, endpoint }, ...(goesOnTo.length > 0 && { goesOnTo }) };
}

/** `keyLabel`: the present one. */
export function toApprovalRule(rule: ApprovalRuleRecord, keyLabel: string | undefined): ApprovalRule {
  const { ruleId, workspaceId, limitMicroDollars, expiresInSeconds, status, createdAt, updatedAt } = rule;
  return {
    ruleId,
    workspaceId,
    limitAmount: toDollars(limitMicroDollars),
    currency: "USD",
    ...(keyLabel !== undefined && { keyLabel }),
    expiresInSeconds,
    status,
    createdAt,
    updatedAt,
  };
}

const statuses: Readonly<Record<ApprovalDecision["kind"], ApprovalStatus>> = {
  approved: "APPROVED",
  denied: "DENIED",
  expired: "EXPIRED",
};

function statusOf(run: Parameters<typeof waitsForApproval>[0]): ApprovalStatus {
  const decision = run.approval?.decision;
  if (decision !== undefined) return statuses[decision.kind];
  return waitsForApproval(run) ? "WAITING" : "WITHDRAWN";
}
