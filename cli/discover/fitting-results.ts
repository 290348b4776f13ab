import type { DiscoverResult } from "../../shared/contract/discovery.ts";

export interface FittingResults {
  /** What may be what was asked for; all results of a service that does not say how certain they are. */
  readonly fitting: readonly DiscoverResult[];
  /** What only comes nearest: empty unless the caller has asked for it by a floor of its own. */
  readonly nearest: readonly DiscoverResult[];
}

/** Parts the results by their confidence. Whoever sets no floor sees none that is weak. */
export function fittingResults(
  results: readonly DiscoverResult[],
  { hasFloor }: { readonly hasFloor: boolean },
): FittingResults {
  const fitting = results.filter(({ confidence }) => confidence !== "weak");
  return { fitting, nearest: hasFloor ? results.filter(({ confidence }) => confidence === "weak") : [] };
}

/** The line above what only comes nearest. */
export function nearestWords({ fitting }: Pick<FittingResults, "fitting">): string {
  return fitting.length === 0 ? "Nothing fits well; nearest:" : "Nothing else fits well; nearest:";
}
