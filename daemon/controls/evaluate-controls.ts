import type { MoneyReads } from "../ledger/money-reads.ts";
import type { ControlRecord, MetControl } from "../ledger/control-records.ts";

/**
 * Every control that is in force, as a run meets it that may cost so much; `at` from `meteredAt`. A paused one is neither
 * asked nor listed. A run that costs nothing is refused by none. Contract semantics, 7.
 */
export function meetControls(money: MoneyReads, requiredMicroDollars: number, at: string): MetControl[] {
  return money.controls
    .filter(({ status }) => status === "ACTIVE")
    .map((control) => meet(control, money, requiredMicroDollars, at));
}

/** What a control leaves for one run, before the run's own hold; below 0 when a budget was lowered or overrun. */
export function availableIn(met: MetControl): number {
  if (met.kind === "runCap") return met.limitMicroDollars;
  return met.limitMicroDollars - met.spentMicroDollars - met.heldMicroDollars;
}

function meet(control: ControlRecord, money: MoneyReads, requiredMicroDollars: number, at: string): MetControl {
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

/** Whether it refuses: the run may cost more than the control leaves. */
export function judge(met: MetControl): MetControl {
  return { ...met, isBlocking: met.requiredMicroDollars > Math.max(0, availableIn(met)) };
}
