import type {
  BlockingControl,
  BudgetAlert as WireAlert,
  BudgetSnapshot,
  ControlRun,
  RunCapSnapshot,
  WorkspaceBudget,
  WorkspaceBudgetRun,
  WorkspaceRunCap,
  WorkspaceRunCapRun,
} from "../../shared/contract/controls.ts";
import { NO_MONEY, subtract, toDollars, toMoney } from "../../shared/micro-dollars.ts";
import type { RunSummary } from "../ledger/stores/run-store.ts";
import type { Spending } from "../ledger/transaction/money-reads.ts";
import { reachedMark } from "./budget-alerts.ts";
import {
  availableIn,
  type BudgetAlert,
  type BudgetRecord,
  type MetControl,
  type RunCapRecord,
} from "../ledger/records/control-records.ts";
import { budgetRunStatus, type MeetingRun, type MetBudget, type MetRunCap, runCapRunStatus } from "./control-runs.ts";

const currency = "USD";

export function toWorkspaceBudget(budget: BudgetRecord, { windowStart, spent, held }: Spending): WorkspaceBudget {
  const { controlId, workspaceId, period, limitMicroDollars, status, createdAt, updatedAt } = budget;
  const alert = reachedMark(spent, limitMicroDollars);
  return {
    budgetControlId: controlId,
    workspaceId,
    period,
    limitAmount: toDollars(limitMicroDollars),
    spentAmount: toDollars(spent),
    heldAmount: toDollars(held),
    availableAmount: toDollars(subtract(limitMicroDollars, spent, held)),
    currency,
    windowStart,
    status,
    ...(alert !== undefined && { alert }),
    createdAt,
    updatedAt,
  };
}

export function toWorkspaceRunCap(runCap: RunCapRecord): WorkspaceRunCap {
  const { controlId, workspaceId, limitMicroDollars, status, createdAt, updatedAt } = runCap;
  return {
    runCapControlId: controlId,
    workspaceId,
    limitAmount: toDollars(limitMicroDollars),
    currency,
    status,
    createdAt,
    updatedAt,
  };
}

export function toWorkspaceBudgetRun({ run, met }: MeetingRun<MetBudget>): WorkspaceBudgetRun {
  const status = budgetRunStatus(run, met);
  const isOpen = status === "HELD";
  return {
    budgetControlId: met.controlId,
    runId: run.runId,
    holdAmount: toDollars(met.requiredMicroDollars),
    settledAmount: isOpen ? null : toDollars(run.billing?.reported ?? NO_MONEY),
    currency,
    status,
    snapshot: { period: met.period, limitAmount: toDollars(met.limitMicroDollars), windowStart: met.windowStart },
    createdAt: run.createdAt,
    settledAt: isOpen ? null : (run.completedAt ?? null),
  };
}

export function toWorkspaceRunCapRun({ run, met }: MeetingRun<MetRunCap>): WorkspaceRunCapRun {
  return {
    runCapControlId: met.controlId,
    runId: run.runId,
    estimatedCost: toDollars(met.requiredMicroDollars),
    currency,
    snapshot: { limitAmount: toDollars(met.limitMicroDollars) },
    status: runCapRunStatus(met),
    createdAt: run.createdAt,
  };
}

/**
 * A control that refused a run. Amounts of its snapshot are Money: plain numbers crash clients.
 * docs/contract.md, "Blocked runs".
 */
export function toBlockingControl(met: MetControl): BlockingControl {
  return {
    controlId: met.controlId,
    controlType: controlTypes[met.kind],
    requiredAmount: toDollars(met.requiredMicroDollars),
    snapshot: toSnapshot(met),
  };
}

/** A control as a run met it, refusing or not. */
export function toControlRun(run: RunSummary, met: MetControl): ControlRun {
  return {
    ...toBlockingControl(met),
    status: met.kind === "budget" ? budgetRunStatus(run, met) : runCapRunStatus(met),
  };
}

export function toBudgetAlert(alert: BudgetAlert): WireAlert {
  const { controlId, percent, period, spentMicroDollars, limitMicroDollars } = alert;
  return { controlId, percent, period, spent: toMoney(spentMicroDollars), limit: toMoney(limitMicroDollars) };
}

const controlTypes = { budget: "WORKSPACE_BUDGET", runCap: "WORKSPACE_RUN_CAP" } as const;

function toSnapshot(met: MetControl): BudgetSnapshot | RunCapSnapshot {
  if (met.kind === "runCap") return { type: controlTypes.runCap, limitAmount: toMoney(met.limitMicroDollars) };
  return {
    type: controlTypes.budget,
    period: met.period,
    limitAmount: toMoney(met.limitMicroDollars),
    availableAmount: toMoney(availableIn(met)),
    heldAmount: toMoney(met.heldMicroDollars),
    spentAmount: toMoney(met.spentMicroDollars),
    windowStart: met.windowStart,
  };
}
