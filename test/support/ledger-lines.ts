import { microDollars, NO_MONEY } from "../../shared/micro-dollars.ts";
import { credit, debit, rent, settle } from "../../daemon/ledger/money/postings.ts";
import { provisioned, renewed } from "../../daemon/resources/resource-lifecycle.ts";
import type { ResourceRecord } from "../../daemon/ledger/records/resource-record.ts";
import { accept } from "../../daemon/runs/lifecycle/run-lifecycle.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { branded, type Plain } from "./branded.ts";

const AT = "2026-11-21T10:00:00.000Z";

/** A run as its first line has it. */
export function acceptedLine(run: RunRecord): Line {
  return accept(run).line;
}

/** The same run as it ended; `charged` may be above its hold. */
export function doneLine(
  run: RunRecord,
  { charged = 0, cost = 0, ...members }: Partial<Plain<RunRecord>> & { charged?: number; cost?: number },
  res?: ResourceRecord[],
): Line {
  const rec = branded<RunRecord>({
    ...run,
    status: "COMPLETED",
    completedAt: run.createdAt,
    billing: { calculated: charged, actual: cost, reported: charged },
    ...members,
  });
  const led = settle(run.workspaceId, { held: run.heldMicroDollars, charged: microDollars(charged) });
  return {
    t: "run.done",
    v: 1,
    at: rec.completedAt ?? AT,
    ws: run.workspaceId,
    run: run.runId,
    rec,
    led,
    ...(res && { res }),
  };
}

export function adjustmentLine(
  kind: "credited" | "debited",
  workspaceId: string,
  plainAmount: number,
  reason: string,
): Line {
  const amount = microDollars(plainAmount);
  const led = kind === "credited" ? credit(workspaceId, amount) : debit(workspaceId, amount);
  return { t: `wallet.${kind}`, v: 1, at: AT, ws: workspaceId, amount, reason, by: "API_KEY#f00d", led };
}

/** Something that a run made, with rent for each day. */
export function rentedBy(run: RunRecord, resourceId: string, dailyMicroDollars: number): ResourceRecord {
  const plan = {
    resourceId,
    resource: "number",
    resourceType: "phone_number",
    displayName: "Number",
    rent: {
      amountMicroDollars: microDollars(dailyMicroDollars),
      costMicroDollars: NO_MONEY,
      period: { unit: "DAY", count: 1 },
    },
  } as const;
  return provisioned(plan, { externalId: "n1", identifier: "+1", data: {} }, run, run.createdAt);
}

/** The resource with one more period paid at an instant, and the line of it. */
export function rentLine(resource: ResourceRecord, at: string): { after: ResourceRecord; line: Line } {
  const after = renewed(resource, at);
  const led = rent(resource.workspaceId, resource.renewal?.amountMicroDollars ?? NO_MONEY);
  return { after, line: { t: "resource.changed", v: 1, at, ws: resource.workspaceId, resource: after, led } };
}
