import type { EstimateFacts } from "../../billing/estimate.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { resolveCallerBound, resolveEstimate } from "./measure.ts";

/** What an endpoint's file and the input of a run say before the call about the quantities that it will count. */
export function readEstimateFacts(
  { overrun, usage, input: schemas }: Pick<CatalogEntry, "overrun" | "usage" | "input">,
  input: EstimateFacts["input"],
  deadlineMs: number,
): EstimateFacts {
  const estimate = resolveEstimate(usage.estimate, input, schemas);
  if (overrun === "operator") return { input, estimate, deadlineMs };
  const callerBound = resolveCallerBound(overrun, input, schemas) ?? NaN;
  return { input, estimate, deadlineMs, callerBound };
}
