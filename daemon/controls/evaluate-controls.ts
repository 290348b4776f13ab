import type { MicroDollars } from "../../shared/micro-dollars.ts";
import type { MoneyReads } from "../ledger/transaction/money-reads.ts";
import { type ControlRecord, judge, type MetControl } from "../ledger/records/control-records.ts";

/**
 * Evaluates every control in force for a run that may cost this much; `at` from `meteredAt`. Paused controls are
 * neither checked nor listed. A run that costs nothing is never refused. docs/contract.md, "Budgets" and "Run caps".
 */
export function evaluateControls(money: MoneyReads, requiredMicroDollars: MicroDollars, at: string): MetControl[] {
  return money.controls
    .filter(({ status }) => status === "ACTIVE")
    .map((control) => meet(control, money, requiredMicroDollars, at));
}

function meet(control: ControlRecord, money: MoneyReads, requiredMicroDollars: MicroDollars, at: string): MetControl {
  const { controlId, limitMicroDollars } = control;
  const met = { controlId, requiredMicroDollars, limitMicroDollars, isBlocking: false };
  if (control.kind === "runCap") return judge({ kind: control.kind, ...met });
  const { windowStart, spent, held } = money.spending("workspace", control.period, at);
  return judge({
    kind: control.kind,
    ...met,
    period: control.period,
    windowStart,
    spentMicroDollars: spent,
    heldMicroDollars: held,
  });
}
