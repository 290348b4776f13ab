import type { RunRecord } from "../ledger/run-record.ts";

type Dated = Pick<RunRecord, "createdAt" | "deadlineMs" | "startedAt" | "stopRequestedAt" | "attempts">;

/**
 * How long a run may still go on, in milliseconds; 0 when its deadline has passed. The deadline is a fixed date,
 * `createdAt` plus `deadlineMs`, so a restart does not move it. If the clock was set back, the time that the run's own
 * dates show still counts as passed, and the run never gets more than its whole time again. `nowMs`: milliseconds since
 * the epoch.
 */
export function leftOfDeadlineMs(run: Dated, nowMs: number): number {
  const bornMs = Date.parse(run.createdAt);
  const lastSeen = [run.startedAt, run.stopRequestedAt, run.attempts.at(-1)?.at].map((at) => Date.parse(at ?? ""));
  const latestMs = Math.max(nowMs, ...lastSeen.filter((ms) => !Number.isNaN(ms)));
  return Math.max(0, Math.min(bornMs + run.deadlineMs - latestMs, run.deadlineMs));
}
