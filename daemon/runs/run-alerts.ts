import { budgetAlerts } from "../controls/budget-alerts.ts";
import type { MoneyReads } from "../ledger/money-reads.ts";
import type { RunRecord } from "../ledger/run-record.ts";

/** A run that ends, with the budgets that its charge brings to a mark, by the money at the moment that it is taken. */
export function withAlerts(run: RunRecord, money: MoneyReads): RunRecord {
  if (run.meteredAt === undefined) return run;
  const alerts = budgetAlerts(money, {
    microDollars: run.billing?.reported ?? 0,
    meteredAt: run.meteredAt,
    now: run.completedAt ?? run.createdAt,
  });
  return alerts.length === 0 ? run : { ...run, alerts };
}
