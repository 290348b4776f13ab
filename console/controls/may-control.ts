import { may } from "../service/rights.ts";

/** Whether the key may read any list of the screen. */
export function mayControl(): boolean {
  return may("listApprovals") || may("listBudgets") || may("listSchedules");
}
