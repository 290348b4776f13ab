import { runEventTypes } from "../../../shared/contract/event-types.ts";
import { toMoney } from "../../../shared/micro-dollars.ts";
import { budgetEvents } from "../../controls/budget-events.ts";
import type { MoneyReads } from "../../ledger/transaction/money-reads.ts";
import { recordEvents } from "../../ledger/transaction/record-events.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { RecordedEvent } from "../../ledger/records/webhook-records.ts";

/** The events of a run that ends: its end, and the budgets that its charge filled up. They belong into its last line. */
export function runEndEvents(run: RunRecord, money: Pick<MoneyReads, "webhooks">): { events?: RecordedEvent[] } {
  if (money.webhooks.length === 0) return {};
  const type = endTypeOf(run);
  return recordEvents(money, [
    ...(type === undefined ? [] : [{ type, key: run.runId }]),
    ...budgetEvents(run.alerts ?? [], { runId: run.runId }),
  ]);
}

/** A run waits for a person. It belongs into the line that accepts it. */
export function askedEvents(run: RunRecord, money: Pick<MoneyReads, "webhooks">): { events?: RecordedEvent[] } {
  const { runId, provider, endpoint, keyLabel, heldMicroDollars, approval } = run;
  if (approval === undefined) return {};
  const data = {
    runId,
    provider,
    endpoint,
    ...(keyLabel !== undefined && { keyLabel }),
    estimate: toMoney(approval.estimateMicroDollars),
    maximum: toMoney(heldMicroDollars),
    above: toMoney(approval.aboveMicroDollars),
    expiresAt: approval.expiresAt,
  };
  return recordEvents(money, [{ type: "approval.requested", key: runId, data }]);
}

function endTypeOf({ status }: RunRecord) {
  return status in runEventTypes ? runEventTypes[status as keyof typeof runEventTypes] : undefined;
}
