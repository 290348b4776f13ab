import type { Hints } from "../../../shared/contract/hints.ts";
import type { operations } from "../../../shared/contract/index.ts";
import { statusByErrorKind } from "../../../shared/errors.ts";
import { reply, type ReplyOf } from "../../http/routes/route.ts";
import type { RunIdempotency } from "../../ledger/records/idempotency-record.ts";
import { runHints } from "./run-hints.ts";
import { isBackground } from "../lifecycle/run-lifecycle.ts";
import { endedAtOnce, isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";
import { toRunAccepted, toRunBlocked, toRunCompleted } from "./run-wire.ts";

/*
 * The answer of POST /v1/run, computed from the run and the request alone. The first answer and every replay come from
 * here, so they are the same, whatever happened to the run or the daemon in between.
 *
 *   endpoint  wait   run                               answer
 *   sync      -      ended                             the run: 200, 408 or the mirrored status
 *   sync      -      open                              none yet
 *   any       -      BLOCKED, or answered at once from the run, 200
 *                    an earlier run
 *   async     0      any                               202, as at acceptance; so is any that had to be approved
 *   async     > 0    ended within the wait             the run
 *   async     > 0    ended later, or the wait is over  202, as at acceptance
 *   async     > 0    open within the wait              none yet
 *
 * Source: docs/contract.md, "Starting a run" and "Idempotency".
 */

/** What decides the answer besides the run itself. */
export type RunAsked = Pick<RunIdempotency, "waitSeconds" | "client" | "mirrored">;

/** Whether the answer is known, given all that happened to the run up to `nowMs` (milliseconds since the epoch). */
export function isAnswerKnown(run: RunRecord, { waitSeconds }: RunAsked, nowMs: number): boolean {
  return isTerminal(run) || (isBackground(run) && (waitSeconds === 0 || nowMs > endOfWaitMs(run, waitSeconds)));
}

/** Returns the answer. While it is not known yet, that is "accepted". `advice`: see `adviceFor`. */
export function runAnswer(
  run: RunRecord,
  asked: RunAsked,
  advice: Hints | undefined,
): ReplyOf<typeof operations.startRun> {
  return isToldItsEnd(run, asked) ? endedAnswer(run, asked, advice) : acceptedAnswer(run, asked, advice);
}

/** An async run that ends after this moment is answered as accepted. Milliseconds since the epoch. */
export function endOfWaitMs(run: Pick<RunRecord, "createdAt">, waitSeconds: number): number {
  return Date.parse(run.createdAt) + waitSeconds * 1_000;
}

function isToldItsEnd(run: RunRecord, { waitSeconds }: RunAsked): boolean {
  if (!isTerminal(run) || run.completedAt === undefined) return false;
  if (!isBackground(run) || endedAtOnce(run)) return true;
  return waitSeconds > 0 && Date.parse(run.completedAt) <= endOfWaitMs(run, waitSeconds);
}

/** Its hints are those of an open run, whatever happened to the run since. */
function acceptedAnswer(run: RunRecord, { client }: RunAsked, advice: Hints | undefined) {
  const asked = asAccepted(run);
  return reply(202, toRunAccepted(asked, runHints(asked, advice, client)));
}

/** RUNNING, even while it is queued (contract, D7); READY only if it had to be approved, and as if that were still open. */
function asAccepted(run: RunRecord): RunRecord {
  if (run.approval === undefined) return { ...run, status: "RUNNING" };
  const { decision: _decision, ...approval } = run.approval;
  return { ...run, status: "READY", approval };
}

function endedAnswer(run: RunRecord, asked: RunAsked, advice: Hints | undefined) {
  const hints = runHints(run, advice, asked.client);
  if (run.status === "BLOCKED") return reply(200, toRunBlocked(run, hints));
  const completed = toRunCompleted(run, hints);
  if (run.status === "TIMED_OUT") {
    return reply(408, {
      ...completed,
      code: statusByErrorKind.timedOut,
      message: `Run ${run.runId} timed out after ${run.deadlineMs} ms; nothing was charged`,
    });
  }
  const status = mirroredStatus(run, asked);
  if (status === 200) return reply(200, completed);
  // The contract does not list every status that a provider may answer.
  return reply(status as 502, {
    ...completed,
    code: status,
    message: run.providerResponse?.error?.message ?? `The provider answered ${run.providerResponse?.httpStatus}`,
  });
}

/** A provider's 402 would look like an empty wallet of ours, so it becomes 502. docs/contract.md, "Mirroring". */
function mirroredStatus(run: RunRecord, { mirrored }: RunAsked): number {
  const status = run.providerResponse?.httpStatus;
  if (mirrored !== true || run.mode !== "sync" || status === undefined || status < 400) return 200;
  return status === 402 ? 502 : status;
}
