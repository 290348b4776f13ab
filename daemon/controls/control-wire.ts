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
import { microDollars, toDollars, toMoney } from "../../shared/micro-dollars.ts";
import type { RunSummary } from "../ledger/run-store.ts";
import type { Spending } from "../ledger/money-reads.ts";
import { reachedMark } from "./budget-alerts.ts";
import {
  availableIn,
  type BudgetAlert,
  type BudgetRecord,
  type MetControl,
  type RunCapRecord,
} from "../ledger/control-records.ts";
import { budgetRunStatus, type MeetingRun, type MetBudget, type MetRunCap, runCapRunStatus } from "./control-runs.ts";

const currency = "USD";
const dollars = (amount: number) => toDollars(microDollars(amount));
const money = (amount: number) => toMoney(microDollars(amount));

export function toWorkspaceBudget(budget: BudgetRecord, { windowStart, spent, held }: Spending): WorkspaceBudget {
  const { controlId, workspaceId, period, limitMicroDollars, status, createdAt, updatedAt } = budget;
  const alert = reachedMark(spent, limitMicroDollars);
  return {
    budgetControlId: controlId,
    workspaceId,
    period,
    limitAmount: dollars(limitMicroDollars),
    spentAmount: dollars(spent),
    heldAmount: dollars(held),
    availableAmount: dollars(limitMicroDollars - spent - held),
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
    limitAmount: dollars(limitMicroDollars),
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
    holdAmount: dollars(met.requiredMicroDollars),
    settledAmount: isOpen ? null : dollars(run.billing?.reported ?? 0),
    currency,
    status,
    snapshot: { period: met.period, limitAmount: dollars(met.limitMicroDollars), windowStart: met.windowStart },
    createdAt: run.createdAt,
    settledAt: isOpen ? null : (run.completedAt ?? null),
  };
}

export function toWorkspaceRunCapRun({ run, met }: MeetingRun<MetRunCap>): WorkspaceRunCapRun {
  return {
    runCapControlId: met.controlId,
    runId: run.runId,
    estimatedCost: dollars(met.requiredMicroDollars),
    currency,
    snapshot: { limitAmount: dollars(met.limitMicroDollars) },
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
    requiredAmount: dollars(met.requiredMicroDollars),
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
  return { controlId, percent, period, spent: money(spentMicroDollars), limit: money(limitMicroDollars) };
}

const controlTypes = { budget: "WORKSPACE_BUDGET", runCap: "WORKSPACE_RUN_CAP" } as const;

function toSnapshot(met: MetControl): BudgetSnapshot | RunCapSnapshot {
  if (met.kind === "runCap") return { type: controlTypes.runCap, limitAmount: money(met.limitMicroDollars) };
  return {
    type: controlTypes.budget,
    period: met.period,
    limitAmount: money(met.limitMicroDollars),
    availableAmount: money(availableIn(met)),
    heldAmount: money(met.heldMicroDollars),
    spentAmount: money(met.spentMicroDollars),
    windowStart: met.windowStart,
  };
}
