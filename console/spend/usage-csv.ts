import type { UsageItem } from "../../shared/contract/usage.ts";
import { csvLine } from "../../shared/csv-line.ts";

const AMOUNTS = ["charged", "cost", "rent", "saved", "overrun"] as const;

/** The table of a grouping; amounts in dollars. */
export function usageCsv(group: string, items: readonly UsageItem[]): string {
  const head = csvLine([group, "runs", "failed", "reused", "overruns", ...AMOUNTS.map((name) => `${name}_usd`)]);
  const lines = items.map((item) =>
    csvLine([
      item.group ?? "",
      item.runs,
      item.failed,
      item.reused,
      item.overruns,
      ...AMOUNTS.map((name) => item[name].value),
    ]),
  );
  return [head, ...lines].join("");
}
