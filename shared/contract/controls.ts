import { z } from "zod";
import { DateTime, Money } from "./common.ts";

/** A budget as it stood when a run met it; amounts are Money inside a run. Contract semantics, 7. */
export const BudgetSnapshot = z
  .object({
    type: z.enum(["WORKSPACE_BUDGET"]),
    period: z.enum(["HOUR", "DAY", "WEEK", "MONTH"]),
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
