import type { EstimateFacts } from "../../billing/estimate.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { resolveCallerBound, resolveEstimate } from "./measure.ts";

/**
 * What an endpoint's file and the input of a run say before the call about the quantities that it will count. They are
 * those of one call; a run of several counts as often as it calls.
 */
export function readEstimateFacts(
  { overrun, usage, input: schemas }: Pick<CatalogEntry, "overrun" | "usage" | "input">,
  input: EstimateFacts["input"],
  deadlineMs: number,
  calls = 1,
): EstimateFacts {
  const { count, units, max } = resolveEstimate(usage.estimate, input, schemas);
  const estimate = {
    ...(count !== undefined && { count: count * calls }),
    ...(units !== undefined && { units: units * calls }),
    ...(max !== undefined && { max: max * calls }),
  };
  if (overrun === "operator") return { input, estimate, deadlineMs, calls };
  const callerBound = (resolveCallerBound(overrun, input, schemas) ?? NaN) * calls;
  return { input, estimate, deadlineMs, calls, callerBound };
}
