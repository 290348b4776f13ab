import type { Logger } from "../base/logger.ts";
import { logAlerts } from "../controls/log-alerts.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";

/** Logs for the operator what a run's end means for money: budgets that fill up, losses, and what was not measured. */
export function logRunEnd(logger: Logger, run: RunRecord): void {
  const { runId, workspaceId, provider, endpoint } = run;
  logAlerts(logger, run.alerts ?? [], { runId, workspaceId });
  if (run.overrunMicroDollars !== undefined) {
    const { heldMicroDollars, overrunMicroDollars } = run;
    const facts = { runId, workspaceId, provider, endpoint, heldMicroDollars, overrunMicroDollars };
    logger.warn(facts, "a run cost more than was held; the operator bears the rest");
  }
  if (run.unmeasured === true) {
    const facts = { runId, workspaceId, provider, endpoint, notes: run.notes };
    logger.warn(facts, "what a run counts could not be read; only the flat part of its price was charged");
  }
}
