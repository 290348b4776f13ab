import { type Clock, isoNow, runningMs } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { errorText } from "../../shared/error-text.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import { GuardFailed } from "../ledger/transaction/commit-errors.ts";
import type { ScheduleLine } from "../ledger/lines/schedule-lines.ts";
import type { Occurrence, ScheduleState } from "../ledger/records/schedule-records.ts";
import type { ScheduleStore } from "../ledger/stores/schedule-store.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { RunService } from "../runs/run-service.ts";
import { actingCaller, type PauseCause } from "./acting-caller.ts";
import type { DueTimes } from "./due-times.ts";
import { pauseSchedule } from "./pause-schedule.ts";
import { ON_TIME_MS, type Plan, planOccurrence } from "./plan-occurrence.ts";
import { readRefusal } from "./read-refusal.ts";
import { requestOf } from "./request-of.ts";

export interface DecideParts {
  readonly store: ScheduleStore & Committer & Pick<AccountStore, "readMoney">;
  readonly runs: Pick<RunService, "begin">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** When to look at the schedule again: at its next due time, at once, or in a moment. */
export type Decided = "atNext" | "lookAgain" | "later";

/** What is remembered between two tries of one due time. */
export interface Attempt {
  /** By the clock of the process. */
  refused?: { readonly dueAt: string; readonly sinceMs: number };
}

type DuePlan = Exclude<Plan, { kind: "nothing" }>;

/**
 * Decides about the due time of a schedule, if one has come: it gets its run, or the reason why it has none is recorded. Either
 * is one line, in which the due time is used up; a crash before it leaves everything as it was. Rejects when the disk does.
 */
export async function decide(
  parts: DecideParts,
  state: ScheduleState,
  { timesOf, attempt }: { readonly timesOf: () => DueTimes; readonly attempt: Attempt },
): Promise<Decided> {
  const failing = failuresOf(state);
  if (failing !== undefined) return await pause(parts, state, failing);
  let times: DueTimes;
  try {
    times = timesOf();
  } catch (error) {
    // This system does not know the time zone any more.
    return await pause(parts, state, { reason: "TIMES", message: errorText(error) });
  }
  const plan = planOccurrence(state, times, parts.clock.now());
  if (plan.kind === "nothing") return "atNext";
  // Also of a due time that was missed: it would have had no run either way, and this names the one that is in the way.
  if (!state.schedule.overlap && state.openRuns.length > 0) {
    const message = `Run ${state.openRuns[0]} of an earlier due time is still open`;
    return await skip(parts, state, plan, { outcome: "OVERLAP", message });
  }
  if (plan.kind === "missed") return await skip(parts, state, plan, { outcome: "MISSED" });
  return await makeRun(parts, state, plan, attempt);
}

async function makeRun(parts: DecideParts, state: ScheduleState, plan: DuePlan, attempt: Attempt): Promise<Decided> {
  const { schedule } = state;
  const acting = await actingCaller(parts, state);
  if ("pause" in acting) return await pause(parts, state, acting.pause);
  const { kind: _kind, dueAt, ...rest } = plan;
  try {
    await parts.runs.begin(acting.caller, requestOf(schedule), {
      schedule: { scheduleId: schedule.scheduleId, dueAt, ...rest },
      guards: [
        {
          kind: "schedule",
          scheduleId: schedule.scheduleId,
          is: "active",
          unused: dueAt,
          revision: state.revision ?? 0,
          ...(!schedule.overlap && { idle: true }),
        },
      ],
    });
    return "atNext";
  } catch (error) {
    return await refused(parts, state, { plan, attempt, error });
  }
}

async function refused(
  parts: DecideParts,
  state: ScheduleState,
  { plan, attempt, error }: { readonly plan: DuePlan; readonly attempt: Attempt; readonly error: unknown },
): Promise<Decided> {
  const refusal = readRefusal(error);
  if (refusal.kind === "lookAgain") return "lookAgain";
  if (refusal.kind === "pause") return await pause(parts, state, { reason: "RIGHTS", message: refusal.message });
  if (refusal.kind === "refused") {
    const { message, failed } = refusal;
    return await skip(parts, state, plan, { outcome: "REFUSED", message, ...(failed && { failed: true }) });
  }
  const nowMs = runningMs(parts.clock);
  if (attempt.refused?.dueAt !== plan.dueAt) attempt.refused = { dueAt: plan.dueAt, sinceMs: nowMs };
  if (nowMs - attempt.refused.sinceMs <= ON_TIME_MS) return "later";
  const { failed } = refusal;
  return await skip(parts, state, plan, {
    outcome: "REFUSED",
    message: errorText(error),
    ...(failed && { failed: true }),
  });
}

/** Records that a due time has no run. */
async function skip(
  { store, clock }: DecideParts,
  { schedule, revision = 0 }: ScheduleState,
  { dueAt, after, missed }: DuePlan,
  why: Pick<Extract<ScheduleLine, { t: "schedule.skipped" }>, "outcome" | "message" | "failed">,
): Promise<Decided> {
  const { scheduleId, workspaceId } = schedule;
  const line: ScheduleLine = {
    t: "schedule.skipped",
    v: 1,
    at: isoNow(clock),
    ws: workspaceId,
    schedule: scheduleId,
    dueAt,
    ...(after !== undefined && { after }),
    ...(missed !== undefined && { missed }),
    ...why,
  };
  const guard = { kind: "schedule" as const, scheduleId, is: "active" as const, unused: dueAt, revision };
  await unlessChanged(store.commit({ line, guards: [guard] }));
  return "lookAgain";
}

async function pause({ store, clock, logger }: DecideParts, state: ScheduleState, cause: PauseCause): Promise<Decided> {
  const { scheduleId, workspaceId } = state.schedule;
  const at = isoNow(clock);
  const guards = [{ kind: "schedule" as const, scheduleId, revision: state.revision ?? 0 }];
  const isPaused = await unlessChanged(pauseSchedule(store, state.schedule, { pause: { ...cause, at }, guards }));
  if (isPaused) logger.warn({ scheduleId, workspaceId, ...cause }, "a schedule was paused");
  return "lookAgain";
}

/** False when the schedule has changed since it was read; then it is looked at again. */
async function unlessChanged(committing: Promise<void>): Promise<boolean> {
  try {
    await committing;
    return true;
  } catch (error) {
    if (!(error instanceof GuardFailed)) throw error;
    return false;
  }
}

function failuresOf({ schedule, failures, occurrences }: ScheduleState): PauseCause | undefined {
  if (failures < schedule.pauseAfterFailures) return undefined;
  const last = occurrences.findLast(({ failed }) => failed === true);
  return {
    reason: "FAILURES",
    message: `${failures === 1 ? "A run" : `${failures} runs in a row`} failed; the last: ${last === undefined ? "unknown" : failureWords(last)}`,
  };
}

function failureWords({ message, runId, runStatus }: Occurrence): string {
  if (runId === undefined) return message ?? "it was refused";
  const what = runStatus === "COMPLETED" ? "its provider answered an error" : `it ended ${runStatus}`;
  return `run ${runId}, ${what}`;
}
