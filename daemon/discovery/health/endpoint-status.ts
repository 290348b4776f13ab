import type { HealthSettings } from "../../../shared/contract/admin.ts";
import type { EndpointMetrics } from "../../../shared/contract/discovery.ts";
import { isWithin } from "./run-times.ts";
import type { RunOutcome } from "./run-windows.ts";

export type EndpointStatus = EndpointMetrics["status"];

/** What a status depends on at one time. */
export interface StatusRules {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly settings: HealthSettings;
}

/** The known outcomes of some runs. */
export interface RunEvidence {
  /** The newest last, as many as the rules may need. */
  readonly latest: readonly RunOutcome[];
  readonly lastErrorAt: number;
  /** Within the long window. */
  readonly runs: number;
  readonly errors: number;
}

/**
 * The first that fits. docs/contract.md, "Health"; the numbers are the settings' defaults.
 *
 *   outage     the last 5 runs, all within 15 minutes, were errors
 *   degraded   more than 10 % errors over 7 days, of at least 20 runs
 *   healthy    at least 3 runs within 15 minutes, none of them an error
 *   stable     a run within 7 days, and no more errors than answers
 *   degraded   a run within 7 days: what fails more often than not has no clean history, however few the runs are
 *   unknown    none
 */
export function statusOf(
  { latest, lastErrorAt, runs, errors }: RunEvidence,
  { now, settings }: StatusRules,
): EndpointStatus {
  const freshMs = settings.freshMinutes * 60_000;
  const last = latest.slice(-settings.outageRuns);
  const isOut = last.every(({ at, isError }) => isError && isWithin(at, now, freshMs));
  if (last.length === settings.outageRuns && isOut) return "outage";
  if (runs >= settings.degradedRuns && errors / runs > settings.degradedShare) return "degraded";
  const fresh = latest.filter(({ at }) => isWithin(at, now, freshMs)).length;
  if (fresh >= settings.healthyRuns && !isWithin(lastErrorAt, now, freshMs)) return "healthy";
  if (runs === 0) return "unknown";
  return errors > runs - errors ? "degraded" : "stable";
}

/** True when the newest run succeeded within the fresh window. */
export function hadGoodAnswer({ latest }: RunEvidence, { now, settings }: StatusRules): boolean {
  const last = latest.at(-1);
  return last !== undefined && !last.isError && isWithin(last.at, now, settings.freshMinutes * 60_000);
}
