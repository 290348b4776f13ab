import { add, type MicroDollars } from "../../shared/micro-dollars.ts";
import type { MoneyReads } from "../ledger/transaction/money-reads.ts";
import type { BudgetAlert, BudgetRecord } from "../ledger/records/control-records.ts";
import { windowStart } from "../ledger/money/spend-windows.ts";

const MARKS = [100, 80, 50] as const;
export type BudgetMark = (typeof MARKS)[number];

/** The highest mark (percentage of the limit) that the spending has reached; undefined below all of them. */
export function reachedMark(spent: MicroDollars, limit: MicroDollars): BudgetMark | undefined {
  if (spent <= 0) return undefined;
  // BigInt, because a hundred times the amount may exceed the safe integers.
  return MARKS.find((mark) => BigInt(spent) * 100n >= BigInt(limit) * BigInt(mark));
}

/**
 * The alerts of a charge that is about to be committed: for each budget the highest mark that the spending reaches with
 * the charge and had not reached before. A charge in a past window causes no alert.
 */
export function budgetAlerts(
  money: MoneyReads,
  charge: { readonly microDollars: MicroDollars; readonly meteredAt: string; readonly now: string },
): BudgetAlert[] {
  if (charge.microDollars <= 0) return [];
  return money.controls
    .filter((control) => control.kind === "budget")
    .filter(({ status, period }) => status === "ACTIVE" && isCurrent(money, period, charge))
    .flatMap((budget) => alertOf(budget, money, charge));
}

function isCurrent(
  money: MoneyReads,
  period: BudgetRecord["period"],
  { meteredAt, now }: { readonly meteredAt: string; readonly now: string },
): boolean {
  return windowStart(period, money.meteredAt(now)) === windowStart(period, meteredAt);
}

function alertOf(
  { controlId, period, limitMicroDollars }: BudgetRecord,
  money: MoneyReads,
  charge: { readonly microDollars: MicroDollars; readonly meteredAt: string },
): BudgetAlert[] {
  const before = money.spending("workspace", period, charge.meteredAt);
  const spentMicroDollars = add(before.spent, charge.microDollars);
  const percent = reachedMark(spentMicroDollars, limitMicroDollars);
  if (percent === undefined || percent === reachedMark(before.spent, limitMicroDollars)) return [];
  return [{ controlId, percent, period, windowStart: before.windowStart, spentMicroDollars, limitMicroDollars }];
}
