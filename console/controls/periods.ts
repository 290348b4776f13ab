import type { ControlPeriod } from "../../shared/contract/controls.ts";

/** The windows of budgets, after the word "each". */
export const eachPeriod: readonly (readonly [ControlPeriod, string])[] = [
  ["HOUR", "hour"],
  ["DAY", "day"],
  ["WEEK", "week"],
  ["MONTH", "month"],
];
