import type { FinishedRun } from "../../../daemon/discovery/health/judge-run.ts";
import { createHealth, type Health, type HealthParts } from "../../../daemon/discovery/health/health.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Outcome = "good" | "error" | "timedOut" | "impatient";

/** Of the endpoint that `history` is about. */
const OWN_DEADLINE_MS = 30_000;

/** The health of one endpoint, `/now` of `weather`, at a time that tests move. */
export interface RunHistory {
  readonly health: Health;
  readonly clock: { nowMs: number; now(): number };
  /** Runs of a workspace that end now. `impatient`: its caller gave it a second, and it took longer. */
  run(workspaceId: string, outcome: Outcome, times?: number): void;
  pass(ms: number): void;
  /** In the eyes of a workspace; without one, of everybody. */
  status(viewer?: string): string;
}

/** `operator` is the operator's own workspace. */
export function runHistory(parts: Omit<HealthParts, "clock"> = {}): RunHistory {
  const clock = {
    nowMs: Date.parse("2026-11-21T12:00:00.000Z"),
    now: () => clock.nowMs,
  };
  const health = createHealth({
    ownDeadlineMs: () => OWN_DEADLINE_MS,
    operatorWorkspace: () => "operator",
    ...parts,
    clock,
  });
  return {
    health,
    clock,
    run(workspaceId, outcome, times = 1) {
      for (let i = 0; i < times; i += 1) health.observe(finishedRun(workspaceId, outcome, clock.nowMs));
    },
    pass: (ms) => void (clock.nowMs += ms),
    status: (viewer) => health.metrics("weather", "/now", viewer).status,
  };
}

/** A run that took a second. */
export function finishedRun(workspaceId: string, outcome: Outcome, at: number, endpoint = "/now"): FinishedRun {
  const createdAt = new Date(at - 1_000).toISOString();
  const run = {
    workspaceId,
    provider: "weather",
    endpoint,
    createdAt,
    startedAt: createdAt,
    completedAt: new Date(at).toISOString(),
  };
  if (outcome === "good" || outcome === "error") {
    const httpStatus = outcome === "good" ? 200 : 500;
    return { ...run, status: "COMPLETED", deadlineMs: OWN_DEADLINE_MS, providerResponse: { httpStatus } };
  }
  return { ...run, status: "TIMED_OUT", deadlineMs: outcome === "impatient" ? 1_000 : OWN_DEADLINE_MS };
}
