import type { Clock } from "../../base/clock.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { RunIdempotency } from "../../ledger/records/idempotency-record.ts";
import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";
import type { LiveRun } from "../work/live-run.ts";
import { endOfWaitMs, isAnswerKnown } from "../answers/run-answer.ts";
import { isBackground } from "../lifecycle/run-lifecycle.ts";
import { endedOrAborted, type WaitingCallers } from "./waiting-callers.ts";

/** A timer may fire a little early; that must not miss a run that ends within the wait. */
const TIMER_SLACK_MS = 5;

/** How long the caller of a started run wants to wait. */
export interface Patience {
  readonly waitSeconds: number;
  readonly idempotency?: RunIdempotency | undefined;
  readonly signal?: AbortSignal;
}

/**
 * The started run as its caller is answered: of a sync endpoint when it has ended, of an async one when it has or when the
 * caller waits no longer. Durable either way.
 */
export async function answerToStart(
  parts: { readonly waiting: WaitingCallers; readonly clock: Clock },
  running: LiveRun,
  patience: Patience,
): Promise<RunRecord> {
  return isBackground(running.current())
    ? await waitForJob(parts, running, patience)
    : await waitForEnd(running, patience);
}

async function waitForEnd(running: LiveRun, { signal }: Patience): Promise<RunRecord> {
  await endedOrAborted(running, signal);
  const run = running.current();
  if (isTerminal(run)) return run;
  const message = `What became of run ${run.runId} could not be recorded; read it again when the operator has restarted the service`;
  throw new ApiError("unavailable", message, {
    errorCode: "STORAGE_FAILED",
    extra: { runId: run.runId, next: `mkt get-run ${run.runId}` },
  });
}

async function waitForJob(
  { waiting, clock }: { readonly waiting: WaitingCallers; readonly clock: Clock },
  running: LiveRun,
  { waitSeconds, idempotency, signal }: Patience,
): Promise<RunRecord> {
  if (waitSeconds === 0) return running.current();
  const leftMs = endOfWaitMs(running.current(), waitSeconds) - clock.now();
  await waiting.untilEnd(running, (leftMs + TIMER_SLACK_MS) / 1_000, signal);
  const nowMs = clock.now();
  await running.settled();
  const run = running.current();
  // If this answered "accepted" now, a repeat of the request could still answer with an end within the wait.
  if (idempotency !== undefined && !isAnswerKnown(run, idempotency, nowMs)) throw stillOpen(run);
  return run;
}

function stillOpen(run: RunRecord): ApiError {
  const message = `The daemon stopped waiting for run ${run.runId}, which goes on; send the request again to wait for it`;
  return new ApiError("unavailable", message, { retryAfterSeconds: 2, extra: { runId: run.runId } });
}
