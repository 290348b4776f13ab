import { z } from "zod";
import { closedObject } from "./closed-object.ts";
import { DateTime, Money, MoneyUnits } from "./common.ts";
import { DamagedRuns } from "./damaged-runs.ts";

/** Windows are calendar ones in UTC; a week begins on Monday. docs/contract.md, "Windows". */
export const ControlPeriod = z.enum(["HOUR", "DAY", "WEEK", "MONTH"]);
export type ControlPeriod = z.infer<typeof ControlPeriod>;

/** A paused control never refuses a run. */
export const ControlStatus = z.enum(["ACTIVE", "PAUSED"]);
export type ControlStatus = z.infer<typeof ControlStatus>;

const Currency = z.enum(["USD"]);
const Dollars = z.number().meta({ description: "Dollars." });

const AlertPercent = z.literal([50, 80, 100]).meta({ description: "The highest mark that the spending has reached." });

/**
 * The state of a budget when it was applied to a run; amounts are Money inside a run. docs/contract.md, "Blocked runs".
 */
export const BudgetSnapshot = z
  .object({
    type: z.enum(["WORKSPACE_BUDGET"]),
    period: ControlPeriod,
    limitAmount: Money,
    availableAmount: Money,
    heldAmount: Money,
    spentAmount: Money,
    windowStart: DateTime,
  })
  .meta({ id: "BudgetSnapshot" });
export type BudgetSnapshot = z.infer<typeof BudgetSnapshot>;

export const RunCapSnapshot = z
  .object({ type: z.enum(["WORKSPACE_RUN_CAP"]), limitAmount: Money })
  .meta({ id: "RunCapSnapshot" });
export type RunCapSnapshot = z.infer<typeof RunCapSnapshot>;

export const BlockingControl = z
  .object({
    controlId: z.string(),
    controlType: z.enum(["WORKSPACE_BUDGET", "WORKSPACE_RUN_CAP"]),
    requiredAmount: z.number().optional().meta({ description: "Dollars the gate wanted to hold." }),
    snapshot: z
      .union([BudgetSnapshot, RunCapSnapshot, z.record(z.string(), z.unknown())])
      .meta({ description: "Control state at the gate." }),
  })
  .meta({ id: "BlockingControl" });
export type BlockingControl = z.infer<typeof BlockingControl>;

/** The limit for spending and holds of a workspace in each window of a period. docs/contract.md, "Budgets". */
export const WorkspaceBudget = z
  .object({
    budgetControlId: z.string(),
    workspaceId: z.string(),
    period: ControlPeriod,
    limitAmount: Dollars,
    spentAmount: Dollars,
    heldAmount: Dollars,
    availableAmount: Dollars.meta({ description: "Dollars: limit less spent and held; below 0 when it was lowered." }),
    currency: Currency,
    windowStart: DateTime,
    status: ControlStatus,
    alert: AlertPercent.optional(),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: "WorkspaceBudget" });
export type WorkspaceBudget = z.infer<typeof WorkspaceBudget>;

/** The maximum cost of a single run of the workspace. docs/contract.md, "Run caps". */
export const WorkspaceRunCap = z
  .object({
    runCapControlId: z.string(),
    workspaceId: z.string(),
    limitAmount: Dollars,
    currency: Currency,
    status: ControlStatus,
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: "WorkspaceRunCap" });
export type WorkspaceRunCap = z.infer<typeof WorkspaceRunCap>;

export const WorkspaceBudgetCreateRequest = closedObject({ period: ControlPeriod, limitAmount: MoneyUnits }).meta({
  id: "WorkspaceBudgetCreateRequest",
});
export type WorkspaceBudgetCreateRequest = z.infer<typeof WorkspaceBudgetCreateRequest>;

export const WorkspaceRunCapCreateRequest = closedObject({ limitAmount: MoneyUnits }).meta({
  id: "WorkspaceRunCapCreateRequest",
});
export type WorkspaceRunCapCreateRequest = z.infer<typeof WorkspaceRunCapCreateRequest>;

const ControlChange = closedObject({ limitAmount: MoneyUnits.optional(), status: ControlStatus.optional() }).refine(
  ({ limitAmount, status }) => limitAmount !== undefined || status !== undefined,
  { error: "name what is to change: limitAmount, status or both" },
);

export const WorkspaceBudgetPatchRequest = ControlChange.meta({ id: "WorkspaceBudgetPatchRequest", minProperties: 1 });
export type WorkspaceBudgetPatchRequest = z.infer<typeof WorkspaceBudgetPatchRequest>;

export const WorkspaceRunCapPatchRequest = ControlChange.meta({ id: "WorkspaceRunCapPatchRequest", minProperties: 1 });
export type WorkspaceRunCapPatchRequest = z.infer<typeof WorkspaceRunCapPatchRequest>;

/** The cursor of these lists: opaque, null on the last page. docs/contract.md, "Last page". */
const NullableCursor = z.string().nullable().meta({ description: "Opaque; null on the last page." });

function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), cursor: NullableCursor });
}

export const WorkspaceBudgetPage = pageOf(WorkspaceBudget).meta({ id: "WorkspaceBudgetPage" });
export type WorkspaceBudgetPage = z.infer<typeof WorkspaceBudgetPage>;

export const WorkspaceRunCapPage = pageOf(WorkspaceRunCap).meta({ id: "WorkspaceRunCapPage" });
export type WorkspaceRunCapPage = z.infer<typeof WorkspaceRunCapPage>;

/** What a run used of a budget. ABORTED: the budget allowed it, but another control refused the run. */
export const WorkspaceBudgetRun = z
  .object({
    budgetControlId: z.string(),
    runId: z.string(),
    holdAmount: Dollars,
    settledAmount: z.number().nullable().meta({ description: "Dollars; null while HELD." }),
    currency: Currency,
    status: z.enum(["HELD", "SETTLED", "RELEASED", "ABORTED", "BLOCKED"]),
    snapshot: z.object({ period: ControlPeriod, limitAmount: Dollars, windowStart: DateTime }),
    createdAt: DateTime,
    settledAt: DateTime.nullable(),
  })
  .meta({ id: "WorkspaceBudgetRun" });
export type WorkspaceBudgetRun = z.infer<typeof WorkspaceBudgetRun>;

export const WorkspaceBudgetRunPage = pageOf(WorkspaceBudgetRun)
  .extend({ damaged: DamagedRuns })
  .meta({ id: "WorkspaceBudgetRunPage" });
export type WorkspaceBudgetRunPage = z.infer<typeof WorkspaceBudgetRunPage>;

export const WorkspaceRunCapRun = z
  .object({
    runCapControlId: z.string(),
    runId: z.string(),
    estimatedCost: Dollars.meta({ description: "Dollars: the most that the run might have cost." }),
    currency: Currency,
    snapshot: z.object({ limitAmount: Dollars }),
    status: z.enum(["PASSED", "BLOCKED"]),
    createdAt: DateTime,
  })
  .meta({ id: "WorkspaceRunCapRun" });
export type WorkspaceRunCapRun = z.infer<typeof WorkspaceRunCapRun>;

export const WorkspaceRunCapRunPage = pageOf(WorkspaceRunCapRun)
  .extend({ damaged: DamagedRuns })
  .meta({ id: "WorkspaceRunCapRunPage" });
export type WorkspaceRunCapRunPage = z.infer<typeof WorkspaceRunCapRunPage>;

/** A control as it was applied to a run, whether it refused it or not. */
export const ControlRun = z
  .looseObject({
    controlId: z.string().optional(),
    controlType: z.string().optional(),
    status: z.string().optional().meta({ description: "That of the budget's or of the run cap's own list of runs." }),
    snapshot: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "ControlRun" });
export type ControlRun = z.infer<typeof ControlRun>;

export const ControlRunPage = pageOf(ControlRun).meta({ id: "ControlRunPage" });
export type ControlRunPage = z.infer<typeof ControlRunPage>;

/** A budget that this run's charge brought to 50, 80 or 100 percent of its limit. */
export const BudgetAlert = z
  .object({ controlId: z.string(), percent: AlertPercent, period: ControlPeriod, spent: Money, limit: Money })
  .meta({ id: "BudgetAlert" });
export type BudgetAlert = z.infer<typeof BudgetAlert>;
