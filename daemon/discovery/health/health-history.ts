import type { EndpointEvidence } from "./endpoint-evidence.ts";
import { hoursOf } from "./run-windows.ts";
import { SPAN_HOURS, SPANS, spanOf, spansOf, spanStart } from "./span-times.ts";

/** What ended in some hours, of one endpoint or several. */
export interface HealthSpan {
  /** When it begins, milliseconds since the epoch. */
  readonly at: number;
  readonly runs: number;
  readonly errors: number;
  /** Of completed runs, in milliseconds; absent when none completed. */
  readonly times?: { readonly average: number; readonly slowest: number };
}

/**
 * The last week, the oldest first; spans in which nothing ended are there too. `whose`: a workspace, or everybody as one
 * workspace sees them. A run that counts for its own workspace alone counts only there. docs/contract.md, "Catalog views".
 */
export function historyOf(
  evidence: readonly EndpointEvidence[],
  now: number,
  whose: { readonly workspaceId: string | undefined; readonly everybody: boolean },
): HealthSpan[] {
  const newest = spanOf(now);
  const first = newest - SPANS + 1;
  const sums = Array.from({ length: SPANS }, () => ({ runs: 0, errors: 0, count: 0, sumMs: 0, slowest: 0 }));
  for (const { workspaces } of evidence) {
    for (const { workspaceId, isPrivate, windows, spans } of workspaces) {
      const isOwn = workspaceId === whose.workspaceId;
      if (!isOwn && (isPrivate || !whose.everybody)) continue;
      for (const [hour, runs, errors] of hoursOf(windows.hours)) {
        const sum = sums[Math.floor(hour / SPAN_HOURS) - first];
        if (sum === undefined) continue;
        sum.runs += runs;
        sum.errors += errors;
      }
      for (const [span, count, sumMs, longestMs] of spansOf(spans)) {
        const sum = sums[span - first];
        if (sum === undefined) continue;
        sum.count += count;
        sum.sumMs += sumMs;
        sum.slowest = Math.max(sum.slowest, longestMs);
      }
    }
  }
  return sums.map(({ runs, errors, count, sumMs, slowest }, index) => ({
    at: spanStart(first + index),
    runs,
    errors,
    ...(count > 0 && { times: { average: Math.round(sumMs / count), slowest } }),
  }));
}
