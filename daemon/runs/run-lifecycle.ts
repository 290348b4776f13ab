import { add, NO_MONEY } from "../../shared/micro-dollars.ts";
import { calculateCharge, settle } from "../billing/charge.ts";
import { hold, settle as settlePostings } from "../ledger/postings.ts";
import type { Guard } from "../ledger/commit-errors.ts";
import type { Attempt, ProviderAnswer, ProviderJob } from "../providers/protocol/provider.ts";
import type { ResourceRecord } from "../ledger/resource-record.ts";
import type { RunLine } from "../ledger/run-lines.ts";
import { leftOfDeadlineMs } from "./run-deadline.ts";
import { isTerminal, type RunRecord } from "../ledger/run-record.ts";
import { type ResourceOutcome, resourceOutcome, unknownResourceNotes } from "./run-resources.ts";

/*
 * The life of a run; nothing else decides what a run may become. Live code, recovery and the model tests go through it.
 *
 *   from                      event       to          note
 *   -                         accept      READY       waits for a slot at its provider
 *   -                         accept      RUNNING     a slot was free
 *   -                         block       BLOCKED     a budget or run cap refused it; nothing is held or called
 *   READY                     go          RUNNING
 *   RUNNING, STOPPING         job         same        the provider works on it; a STOPPING one is then stopped there
 *   READY, RUNNING            stopAsked   STOPPING    async runs only
 *   RUNNING, STOPPING         answered    COMPLETED   any status of the provider; charged only when 2xx
 *   READY, RUNNING, STOPPING  noAnswer    FAILED      charged 0
 *   READY, RUNNING, STOPPING  deadline    TIMED_OUT   charged 0
 *   RUNNING, STOPPING         stopped     STOPPED     charged 0
 *   STOPPING                  stopRefused same        the job goes on, and the run ends as the provider ends it
 *   READY, RUNNING, STOPPING  restarted   same        or TIMED_OUT, if the deadline has passed meanwhile; or FAILED, if the
 *                                                     call may have happened and may not be repeated
 *   READY, RUNNING, STOPPING  cutShort    same        the current effect gave no result: a stop goes on from there, and a run
 *                                                     that waits or has a job is left to the next start; or TIMED_OUT; or FAILED
 *
 * Source: docs/contract.md, "Run statuses" and "End of a run"; docs/storage.md, "Runs and money on the disk".
 */

export type RunEvent =
  | { readonly type: "go"; readonly at: string }
  | {
      readonly type: "job";
      readonly at: string;
      readonly job: ProviderJob;
      /** The provider refused to stop the job: it goes on, and the provider is not asked again. */
      readonly refusedStop?: boolean;
    }
  | { readonly type: "stopAsked"; readonly at: string }
  | {
      readonly type: "answered";
      readonly at: string;
      readonly answer: ProviderAnswer;
      /** The run time in milliseconds; given when the run's dates are wrong because the clock was set meanwhile. */
      readonly elapsedMs?: number;
      /** The resources that the run ends, in their present state. */
      readonly resources?: readonly ResourceRecord[];
      /** The resource, of any workspace, that already has the id of what the provider made. */
      readonly holder?: ResourceRecord;
    }
  | ({ readonly type: "noAnswer"; readonly at: string } & CallFailure)
  | ({ readonly type: "deadline"; readonly at: string } & Pick<CallFailure, "maybeExecuted" | "attempts">)
  | { readonly type: "stopped"; readonly at: string; readonly note?: string }
  | { readonly type: "stopRefused"; readonly at: string }
  | { readonly type: "restarted"; readonly at: string }
  | {
      readonly type: "cutShort";
      readonly at: string;
      readonly doing: RunEffect;
      readonly by: "deadline" | "shutdown" | "failure";
      /** A stop was requested meanwhile. */
      readonly stopWished: boolean;
      /** How the call failed; absent when no call failed because the run had moved on. */
      readonly failure?: CallFailure;
    };

/** What is known of a call without a readable answer. */
export interface CallFailure {
  readonly source: string;
  readonly message: string;
  /** False only if the provider certainly never got the request. */
  readonly maybeExecuted: boolean;
  readonly attempts: readonly Attempt[];
}

type CutShort = Extract<RunEvent, { type: "cutShort" }>;
type Answered = Extract<RunEvent, { type: "answered" }>;

/** What to do next, once the line is durable. */
export type RunEffect = "waitForPlace" | "callProvider" | "pollProvider" | "stopAtProvider" | "endStop" | "none";

export interface RunStep {
  readonly run: RunRecord;
  /** Absent when there is nothing to record. */
  readonly line?: RunLine;
  /** What must still be true when the line is committed. If it is not, compute the step again. */
  readonly guards?: readonly Guard[];
  readonly effect: RunEffect;
}

/** The step that creates a run. */
export type FirstStep = RunStep & { readonly line: Extract<RunLine, { t: "run.accepted" | "run.done" }> };

/** The event does not fit the state, for example a stop of a finished run. */
export class IllegalRunEvent extends Error {
  override readonly name = "IllegalRunEvent";
  constructor(
    readonly run: RunRecord,
    readonly event: RunEvent["type"],
  ) {
    super(`run ${run.runId} is ${run.status}: ${event} does not apply`);
  }
}

/** Creates a run: READY, or RUNNING if the provider has a free slot. The hold is part of the same line. */
export function accept(run: RunRecord): FirstStep {
  return {
    run,
    line: {
      t: "run.accepted",
      ...heading(run, run.createdAt),
      rec: run,
      led: hold(run.workspaceId, run.heldMicroDollars),
    },
    effect: run.status === "READY" ? "waitForPlace" : "callProvider",
  };
}

/** Creates a run that ends at once because a control refused it. Nothing is held, so there is nothing to bill. */
export function block({ startedAt: _startedAt, ...born }: RunRecord, reason: string): FirstStep {
  const run: RunRecord = {
    ...born,
    status: "BLOCKED",
    heldMicroDollars: NO_MONEY,
    reason,
    completedAt: born.createdAt,
  };
  return { run, line: { t: "run.done", ...heading(run, run.createdAt), rec: run, led: [] }, effect: "none" };
}

export function transition(run: RunRecord, event: RunEvent): RunStep {
  if (isTerminal(run)) throw new IllegalRunEvent(run, event.type);
  switch (event.type) {
    case "go":
      if (run.status !== "READY") throw new IllegalRunEvent(run, event.type);
      return written(run, { t: "run.go", ...heading(run, event.at) }, "callProvider");
    case "job":
      return jobMoved(run, event);
    case "stopAsked":
      return stopAsked(run, event.at);
    case "answered":
      if (run.status === "READY") throw new IllegalRunEvent(run, event.type);
      return answered(run, event);
    case "noAnswer":
      return done({
        ...end(run, "FAILED", event.at),
        attempts: cutAttempts([...run.attempts, ...event.attempts]),
        error: { source: event.source, message: event.message },
        notes: [...run.notes, ...(event.maybeExecuted && run.status !== "READY" ? unknownResourceNotes(run) : [])],
        ...(event.maybeExecuted && run.status !== "READY" && { providerMayHaveCharged: true as const }),
      });
    case "deadline":
      return done({
        ...end(run, "TIMED_OUT", event.at),
        attempts: cutAttempts([...run.attempts, ...event.attempts]),
        error: { source: "mkt", message: `The run did not end within its deadline of ${run.deadlineMs} ms` },
        notes: [...run.notes, ...(event.maybeExecuted && run.status !== "READY" ? unknownResourceNotes(run) : [])],
        ...(event.maybeExecuted && run.status !== "READY" && { providerMayHaveCharged: true as const }),
      });
    case "stopped":
      if (run.status === "READY") throw new IllegalRunEvent(run, event.type);
      return done({
        ...end(run, "STOPPED", event.at),
        notes: [
          ...run.notes,
          ...(event.note === undefined ? [] : [event.note]),
          ...(run.startedAt === undefined ? [] : unknownResourceNotes(run)),
        ],
      });
    case "stopRefused":
      if (run.status !== "STOPPING") throw new IllegalRunEvent(run, event.type);
      return { run, effect: "pollProvider" };
    case "restarted":
      return restarted(run, event.at);
    case "cutShort":
      return cutShort(run, event);
  }
}

/** Applies a line of the journal to an open run, with the same result as the step that wrote it. */
export function replay(run: RunRecord, line: Exclude<RunLine, { t: "run.accepted" }>): RunRecord {
  switch (line.t) {
    case "run.go":
      return { ...run, status: "RUNNING", startedAt: line.at };
    case "run.job":
      return { ...run, job: line.job, attempts: line.job.attempts };
    case "run.stop":
      return { ...run, status: "STOPPING", stopRequestedAt: line.at };
    case "run.done":
      return line.rec;
  }
}

function jobMoved(run: RunRecord, { at, job, refusedStop = false }: Extract<RunEvent, { type: "job" }>): RunStep {
  if (run.status === "READY") throw new IllegalRunEvent(run, "job");
  const attempts = cutAttempts([...run.attempts, ...job.attempts]);
  const kept: NonNullable<RunRecord["job"]> = { ...job, state: { ...job.state }, attempts };
  const effect = run.status === "STOPPING" && !refusedStop ? "stopAtProvider" : "pollProvider";
  const mustSurvive =
    run.job === undefined ||
    run.job.externalId !== job.externalId ||
    JSON.stringify(run.job.state) !== JSON.stringify(job.state);
  if (mustSurvive) return written(run, { t: "run.job", ...heading(run, at), job: kept }, effect);
  return { run: { ...run, job: kept, attempts }, effect };
}

/** Polling a job for hours must not grow its record without bound: only the first and the newest attempts are kept. */
const MAX_ATTEMPTS = 20;
function cutAttempts(attempts: RunRecord["attempts"]): RunRecord["attempts"] {
  return attempts.length <= MAX_ATTEMPTS ? attempts : [...attempts.slice(0, 1), ...attempts.slice(1 - MAX_ATTEMPTS)];
}

function stopAsked(run: RunRecord, at: string): RunStep {
  if (run.mode === "sync" || run.status === "STOPPING") throw new IllegalRunEvent(run, "stopAsked");
  const effect: RunEffect = run.job !== undefined ? "stopAtProvider" : run.status === "READY" ? "endStop" : "none";
  return written(run, { t: "run.stop", ...heading(run, at) }, effect);
}

/** The step is computed from its line, so live code and replay cannot differ. */
function written(run: RunRecord, line: Exclude<RunLine, { t: "run.accepted" }>, effect: RunEffect): RunStep {
  return { run: replay(run, line), line, effect };
}

function restarted(before: RunRecord, at: string): RunStep {
  // Poll the job at once: it may have ended long ago, while the daemon was down.
  const run = before.job === undefined ? before : { ...before, job: { ...before.job, pollAfterMs: 0 } };
  // It was stopped while it was queued, so it ends as stopped; nothing was ever called.
  const wasStoppedInLine = run.status === "STOPPING" && run.startedAt === undefined;
  if (!wasStoppedInLine && leftOfDeadlineMs(run, Date.parse(at)) === 0) {
    return transition(run, { type: "deadline", at, maybeExecuted: true, attempts: [] });
  }
  if (run.status === "READY") return { run, effect: "waitForPlace" };
  if (run.status === "STOPPING") {
    if (run.job !== undefined) return { run, effect: "stopAtProvider" };
    if (run.startedAt === undefined) return { run, effect: "endStop" };
  }
  if (run.job !== undefined) return { run, effect: "pollProvider" };
  if (run.repeatable) {
    const note = "The daemon stopped during the call; the call was made again after the restart";
    // Stays set until there is an answer: whatever happens to the second call, the first one may have been executed.
    const doubtful: RunRecord = { ...run, notes: [...run.notes, note], providerMayHaveCharged: true };
    return { run: doubtful, effect: "callProvider" };
  }
  return transition(run, {
    type: "noAnswer",
    at,
    source: "mkt",
    message:
      "The daemon stopped while the provider was being called; the call is not repeated, as it may have happened",
    maybeExecuted: true,
    attempts: [],
  });
}

/** The current effect ended without a result. What happens to the run depends on what interrupted it, and where. */
function cutShort(run: RunRecord, { at, doing, by, stopWished, failure }: CutShort): RunStep {
  if (by === "deadline") {
    const { maybeExecuted = true, attempts = [] } = failure ?? {};
    return transition(run, { type: "deadline", at, maybeExecuted, attempts });
  }
  // Nothing was called, and the stop is on the disk: whatever else ends the wait, the run is stopped.
  if (doing === "waitForPlace" && run.status === "STOPPING") return { run, effect: "endStop" };
  if (by === "shutdown" && mayBeLeft(run)) return { run, effect: "none" };
  if (stopWished && (doing === "pollProvider" || doing === "waitForPlace")) {
    return { run, effect: run.job === undefined ? "endStop" : "stopAtProvider" };
  }
  if (doing === "stopAtProvider") return transition(run, { type: "stopRefused", at });
  if (failure === undefined) return { run, effect: "none" };
  if (by !== "shutdown") return transition(run, { type: "noAnswer", at, ...failure });
  const message = `The daemon was stopped ${run.status === "READY" ? "before" : "during"} the call`;
  return transition(run, { type: "noAnswer", at, ...failure, source: "mkt", message });
}

/** The run, its resources and the money are written in one line, so they always agree, or none of them is written. */
function answered(run: RunRecord, event: Answered): RunStep {
  const { at, answer, resources = [], holder } = event;
  const outcome = resourceOutcome(run, at, answer, { touched: resources, holder });
  return done(complete(run, event, outcome), outcome);
}

function complete(run: RunRecord, { at, answer, elapsedMs }: Answered, outcome: ResourceOutcome): RunRecord {
  const quantities = {
    input: run.input,
    output: answer.body,
    measured: { ...answer.measured, elapsedMs: runTimeMs(run, at, elapsedMs) },
  };
  const charge = calculateCharge(run.price, quantities);
  const rent = outcome.isRented ? run.resourcePlan?.provisions?.rent : undefined;
  const { overrunMicroDollars, ...billing } = settle({
    success: answer.success,
    calculated: add(charge.calculatedMicroDollars, rent?.amountMicroDollars ?? NO_MONEY),
    calculatedWithoutMarkup: add(
      calculateCharge(run.priceWithoutMarkup, quantities).calculatedMicroDollars,
      rent?.costMicroDollars ?? NO_MONEY,
    ),
    held: run.heldMicroDollars,
    ...(answer.measured.costMicroDollars !== undefined && {
      providerCostMicroDollars: answer.measured.costMicroDollars,
    }),
  });
  const count = answer.measured.count;
  const { providerMayHaveCharged: _doubt, ...ended } = end(run, "COMPLETED", at);
  return {
    ...ended,
    attempts: cutAttempts([...run.attempts, ...answer.attempts]),
    output: answer.success ? (answer.output ?? null) : null,
    providerResponse: {
      httpStatus: answer.httpStatus,
      ...(answer.error !== undefined && { error: answer.error }),
    },
    // A measured zero is "no results" too. Contract, D12.
    resultCount: answer.success && count !== undefined && Number.isInteger(count) && count > 0 ? count : null,
    ...(answer.success && charge.billedUnits !== undefined && { billedUnits: charge.billedUnits }),
    billing,
    ...(overrunMicroDollars !== undefined && overrunMicroDollars > 0 && { overrunMicroDollars }),
    ...(answer.success && charge.notes.length > 0 && { unmeasured: true as const }),
    notes: [
      ...run.notes,
      ...answer.notes,
      ...(answer.success ? charge.notes : []),
      ...(elapsedMs !== undefined && charge.rules.some(({ type }) => type === "METERED") ? [CLOCK_WAS_SET] : []),
      ...outcome.notes,
    ],
    ...(outcome.effects.length > 0 && { resources: [...outcome.effects] }),
  };
}

const CLOCK_WAS_SET =
  "The clock was set during the run; its run time is the time that passed, not that between its dates";

/**
 * The time that METERED counts: at most the deadline (docs/manifest.md, "Known maximum"), even if a restart or a
 * changed clock added to it.
 */
function runTimeMs(run: RunRecord, at: string, elapsedMs: number | undefined): number {
  const elapsed = elapsedMs ?? Date.parse(at) - Date.parse(run.startedAt ?? run.createdAt);
  return Math.min(run.deadlineMs, Math.max(0, elapsed));
}

/** Ends a run without a charge; `complete` adds the bill. */
function end(run: RunRecord, status: RunRecord["status"], at: string): RunRecord {
  return {
    ...run,
    status,
    completedAt: at,
    output: null,
    resultCount: null,
    billing: { calculated: NO_MONEY, actual: NO_MONEY, reported: NO_MONEY },
  };
}

function done(run: RunRecord, outcome?: ResourceOutcome): RunStep {
  const led = settlePostings(run.workspaceId, {
    held: run.heldMicroDollars,
    charged: run.billing?.reported ?? NO_MONEY,
  });
  const res = outcome === undefined || outcome.changed.length === 0 ? {} : { res: [...outcome.changed] };
  const line = { t: "run.done", ...heading(run, run.completedAt ?? run.createdAt), rec: run, led, ...res } as const;
  const step = written(run, line, "none");
  return outcome === undefined || outcome.guards.length === 0 ? step : { ...step, guards: outcome.guards };
}

function heading(run: RunRecord, at: string): { v: 1; at: string; ws: string; run: string } {
  return { v: 1, at, ws: run.workspaceId, run: run.runId };
}

/** True while a stop can be requested: for async runs that have not ended. docs/contract.md, "Stopping". */
export function isStoppable(run: Pick<RunRecord, "mode" | "status">): boolean {
  return run.mode === "async" && (run.status === "READY" || run.status === "RUNNING");
}

/** True for an async run that is queued or has a job: the next start resumes it, so nothing is lost by leaving it. */
export function mayBeLeft(run: Pick<RunRecord, "mode" | "status" | "job">): boolean {
  return run.mode === "async" && (run.status === "READY" || run.job !== undefined);
}

/** True when the run's deadline has passed and its job, which nobody needs any more, is still at the provider. */
export function leavesJob(run: Pick<RunRecord, "status" | "job">): boolean {
  return run.status === "TIMED_OUT" && run.job !== undefined;
}
