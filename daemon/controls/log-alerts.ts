import type { Logger } from "../base/logger.ts";
import type { BudgetAlert } from "../ledger/records/control-records.ts";

/** Logs budgets that fill up for the operator; `cause` says what was charged. */
export function logAlerts(logger: Pick<Logger, "warn">, alerts: readonly BudgetAlert[], cause: object): void {
  for (const alert of alerts) {
    logger.warn({ ...cause, ...alert }, `a budget has reached ${alert.percent} percent of its limit`);
  }
}
