import { waitsForApproval } from "../../ledger/records/approval-records.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";

type Dated = Pick<RunRecord, "createdAt" | "deadlineMs" | "status" | "startedAt" | "stopRequestedAt" | "attempts"> &
  Partial<Pick<RunRecord, "approval">>;

/**
 * How long a run may still go on, in milliseconds; 0 when its deadline has passed. The deadline is a fixed date,
 * `createdAt` plus `deadlineMs`, so a restart does not move it. If the clock was set back, the time that the run's own
 * dates show still counts as passed, and the run never gets more than its whole time again. `nowMs`: milliseconds since
 * the epoch.
 *
 * While a run waits for approval its deadline does not count: it may wait until its approval expires. From the approval on it
 * has its whole time. docs/contract.md, "Waiting for approval".
 */
export function leftOfDeadlineMs(run: Dated, nowMs: number): number {
  const { bornMs, mostMs } = spanOf(run);
  const lastSeen = [run.startedAt, run.stopRequestedAt, run.attempts.at(-1)?.at].map((at) => Date.parse(at ?? ""));
  const latestMs = Math.max(nowMs, ...lastSeen.filter((ms) => !Number.isNaN(ms)));
  return Math.max(0, Math.min(bornMs + mostMs - latestMs, mostMs));
}

/** What it may take now, in milliseconds, and since when. */
function spanOf(run: Dated): { readonly bornMs: number; readonly mostMs: number } {
  const createdMs = Date.parse(run.createdAt);
  const { approval } = run;
  if (approval === undefined) return { bornMs: createdMs, mostMs: run.deadlineMs };
  if (waitsForApproval(run)) return { bornMs: createdMs, mostMs: Date.parse(approval.expiresAt) - createdMs };
  return { bornMs: Date.parse(approval.decision?.at ?? run.createdAt), mostMs: run.deadlineMs };
}

/** How long the market of a run is asked once more after the deadline. */
const LAST_QUESTION_MS = 15_000;
/** For as long, at least, a market remembers an Idempotency-Key. docs/contract.md, "Idempotency" */
const KEY_KEPT_MS = 86_400_000;

/**
 * How long a run that an earlier process began may still go on, in milliseconds. A run at a market that ended while this
 * daemon was down was charged there: it is asked for once more, although its deadline has passed. Without a job the question
 * is the first request again, which is no second run as long as its key is known there. docs/markets.md, "How runs end"
 */
export function leftAfterRestartMs(
  run: Dated & Pick<RunRecord, "repeatable"> & Partial<Pick<RunRecord, "job" | "market">>,
  nowMs: number,
): number {
  const leftMs = leftOfDeadlineMs(run, nowMs);
  if (run.market === undefined || run.startedAt === undefined) return leftMs;
  const isKeyKnown = run.repeatable && Math.abs(nowMs - Date.parse(run.startedAt)) < KEY_KEPT_MS;
  return run.job !== undefined || isKeyKnown ? Math.max(leftMs, LAST_QUESTION_MS) : leftMs;
}
