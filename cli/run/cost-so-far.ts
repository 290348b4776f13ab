import type { AnyRun } from "./run-outcome.ts";

/** A month counts as 30 days, as when it is charged. */
const unitMs = { MINUTE: 60_000, DAY: 86_400_000, MONTH: 30 * 86_400_000 } as const;

/**
 * What a run that goes on has cost by now, in dollars: what it says itself, or the time since it started where time is
 * what is paid for, by this machine's clock; undefined where only its end tells.
 */
export function costSoFar(
  { cost, price, startedAt }: Pick<AnyRun, "cost" | "price" | "startedAt">,
  nowMs: number,
): number | undefined {
  if (cost !== undefined) return cost.value;
  const { detail } = price;
  if (detail?.type !== "METERED" || startedAt === undefined || typeof detail.per !== "object") return undefined;
  const elapsedMs = Math.max(0, nowMs - Date.parse(startedAt));
  const dollars = (detail.amount.value * elapsedMs) / (unitMs[detail.per.unit] * detail.per.count);
  return Math.round(dollars * 1e4) / 1e4;
}
