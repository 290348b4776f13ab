import type { EndpointMetrics } from "../../shared/contract/discovery.ts";
import type { Clock } from "../clock.ts";
import type { RunRecord } from "../runs/run-record.ts";
import { RunOutcomes } from "./run-outcomes.ts";

/** How endpoints did lately. */
export interface HealthSource {
  /** Never throws: of an endpoint that nobody ran, or that is not there, the status is "unknown". */
  metrics(provider: string, endpoint: string): EndpointMetrics;
}

/** What health reads of a finished run. */
export type FinishedRun = Pick<RunRecord, "provider" | "endpoint" | "status" | "createdAt"> &
  Partial<Pick<RunRecord, "completedAt" | "providerResponse">>;

export interface Health extends HealthSource {
  /** Takes a run that ended. Runs that say nothing about the provider (refused, stopped by the caller) are left out. */
  observe(run: FinishedRun): void;
}

/**
 * Health out of the runs observed since start, in constant memory for each endpoint that was run.
 * Contract semantics, 10.
 */
export function createHealth({ clock }: { readonly clock: Clock }): Health {
  const byEndpoint = new Map<string, RunOutcomes>();

  function outcomesOf(run: FinishedRun): RunOutcomes {
    const key = keyOf(run.provider, run.endpoint);
    const outcomes = byEndpoint.get(key) ?? new RunOutcomes();
    byEndpoint.set(key, outcomes);
    return outcomes;
  }

  return {
    observe(run) {
      if (run.status !== "COMPLETED" && run.status !== "FAILED" && run.status !== "TIMED_OUT") return;
      const at = run.completedAt === undefined ? clock.now() : Date.parse(run.completedAt);
      const runTimeMs = Math.max(0, at - Date.parse(run.createdAt));
      outcomesOf(run).add({ at, isError: isError(run), ...(run.status === "COMPLETED" && { runTimeMs }) });
    },
    metrics: (provider, endpoint) =>
      byEndpoint.get(keyOf(provider, endpoint))?.metrics(clock.now()) ?? { status: "unknown" },
  };
}

/** FAILED, TIMED_OUT, and the provider's 429 and 5xx; never its 404 or another 4xx. */
function isError({ status, providerResponse }: FinishedRun): boolean {
  if (status !== "COMPLETED") return true;
  const httpStatus = providerResponse?.httpStatus ?? 200;
  return httpStatus === 429 || httpStatus >= 500;
}

function keyOf(provider: string, endpoint: string): string {
  return `${provider}${endpoint}`;
}
