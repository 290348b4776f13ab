import { toDollars } from "../../shared/micro-dollars.ts";
import type { BudgetAlert } from "../ledger/records/control-records.ts";
import type { NewEvent } from "../ledger/transaction/record-events.ts";

/** What was charged: a run, or the rent of a resource at a time. */
export type ChargeCause = { readonly runId: string } | { readonly resourceId: string; readonly at: string };

/** The events of budgets that a charge brought to 50, 80 or 100 percent, for the line of the charge. */
export function budgetEvents(alerts: readonly BudgetAlert[], cause: ChargeCause): NewEvent[] {
  return alerts.map(({ controlId, percent, period, windowStart, spentMicroDollars, limitMicroDollars }) => ({
    type: "budget.reached",
    key: JSON.stringify([controlId, percent, windowStart, cause]),
    data: {
      budgetControlId: controlId,
      percent,
      period,
      windowStart,
      spentAmount: toDollars(spentMicroDollars),
      limitAmount: toDollars(limitMicroDollars),
      ...("runId" in cause ? cause : { resourceId: cause.resourceId }),
    },
  }));
}
