import { NO_MONEY } from "../../../shared/micro-dollars.ts";
import { commitMade } from "../../ledger/transaction/commit-made.ts";
import { budgetAlerts } from "../../controls/budget-alerts.ts";
import type { Committer } from "../../ledger/transaction/transaction.ts";
import type { MoneyReads } from "../../ledger/transaction/money-reads.ts";
import { runEndEvents } from "./run-events.ts";
import type { RunStep } from "./run-lifecycle.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";

/**
 * Returns the run as it was made durable; one that ends carries the alerts that its charge caused. Rejects as `commit`
 * does, and with what `mayGo` throws in the step that lets a run call its provider.
 */
export async function commitStep(
  store: Committer,
  { run, line, guards = [] }: RunStep,
  mayGo?: () => void,
): Promise<RunRecord> {
  if (line === undefined) return run;
  if (line.t === "run.go" && mayGo !== undefined) {
    const { workspaceId, keyId } = run;
    const write = () => {
      mayGo();
      return line;
    };
    await store.commit({ of: { workspaceId, keyId }, guards, write });
    return run;
  }
  if (line.t !== "run.done") {
    await store.commit({ line, guards });
    return run;
  }
  const { workspaceId, keyId } = run;
  const ended = await commitMade(store, {
    of: { workspaceId, keyId },
    guards,
    make(money) {
      const rec = withAlerts(line.rec, money);
      return { line: { ...line, rec, ...runEndEvents(rec, money) } };
    },
  });
  return ended.line.rec;
}

/** Adds an alert for each budget that the charge brings to a threshold, given the money at the moment of the charge. */
function withAlerts(run: RunRecord, money: MoneyReads): RunRecord {
  if (run.meteredAt === undefined) return run;
  const alerts = budgetAlerts(money, {
    microDollars: run.billing?.reported ?? NO_MONEY,
    meteredAt: run.meteredAt,
    now: run.completedAt ?? run.createdAt,
  });
  return alerts.length === 0 ? run : { ...run, alerts };
}
