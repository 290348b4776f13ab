import { RecordedWorkspaceId } from "./recorded-ids.ts";
import { z } from "zod";
import { atLeastZero, type MicroDollars, subtract } from "../../../shared/micro-dollars.ts";
import { RecordedAmount, RecordedAmountFromZero } from "../money/recorded-amount.ts";
import { PERIODS } from "../money/spend-windows.ts";

const common = {
  /** ULID. */
  controlId: z.string(),
  workspaceId: RecordedWorkspaceId,
  limitMicroDollars: RecordedAmountFromZero,
  /** A paused control is not enforced. */
  status: z.enum(["ACTIVE", "PAUSED"]),
  createdAt: z.string(),
  updatedAt: z.string(),
};

/** Limits what may be spent and held in each window of the period. */
export const BudgetRecord = z.object({ kind: z.literal("budget"), ...common, period: z.enum(PERIODS) });
export type BudgetRecord = z.infer<typeof BudgetRecord>;

/** Limits the cost of each run. */
export const RunCapRecord = z.object({ kind: z.literal("runCap"), ...common });
export type RunCapRecord = z.infer<typeof RunCapRecord>;

/** Limits of a workspace on its own runs. docs/contract.md, "Controls". */
export const ControlRecord = z.discriminatedUnion("kind", [BudgetRecord, RunCapRecord]);
export type ControlRecord = z.infer<typeof ControlRecord>;

const metFields = {
  controlId: z.string(),
  isBlocking: z.boolean(),
  requiredMicroDollars: RecordedAmount,
  limitMicroDollars: RecordedAmount,
};

/** The state of a control when a run met it, before the run's own hold; kept on the run. */
export const MetControl = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("budget"),
    ...metFields,
    period: z.enum(PERIODS),
    windowStart: z.string(),
    spentMicroDollars: RecordedAmount,
    heldMicroDollars: RecordedAmount,
  }),
  z.object({ kind: z.literal("runCap"), ...metFields }),
]);
export type MetControl = z.infer<typeof MetControl>;

/** What a control leaves for one run, before the run's own hold; below 0 when a budget was lowered or overrun. */
export function availableIn(met: MetControl): MicroDollars {
  if (met.kind === "runCap") return met.limitMicroDollars;
  return subtract(met.limitMicroDollars, met.spentMicroDollars, met.heldMicroDollars);
}

/** Whether it refuses: the run may cost more than the control leaves. */
export function judge(met: MetControl): MetControl {
  return { ...met, isBlocking: met.requiredMicroDollars > atLeastZero(availableIn(met)) };
}

/** A budget whose spending passed 50, 80 or 100 percent of its limit when a run was charged; kept on that run. */
export const BudgetAlert = z.object({
  controlId: z.string(),
  percent: z.literal([50, 80, 100]),
  period: z.enum(PERIODS),
  windowStart: z.string(),
  spentMicroDollars: RecordedAmount,
  limitMicroDollars: RecordedAmount,
});
export type BudgetAlert = z.infer<typeof BudgetAlert>;
