import { add, formatDollars, NO_MONEY } from "../../../shared/micro-dollars.ts";
import { calculateCharge, settle } from "../../billing/charge.ts";
import { hold, settle as settlePostings } from "../../ledger/money/postings.ts";
import { type ApprovalDecision, waitsForApproval } from "../../ledger/records/approval-records.ts";
import type { Guard } from "../../ledger/transaction/commit-errors.ts";
import { chargeOfMarket, overchargeNotes, withRemote } from "../market/market-charge.ts";
import type {
  Attempt,
  MissingSetup,
  ProviderAnswer,
  ProviderJob,
  RemoteRun,
} from "../../providers/protocol/provider.ts";
import type { MarketRecord } from "../../ledger/records/market-record.ts";
import type { ResourceRecord } from "../../ledger/records/resource-record.ts";
import type { RunLine } from "../../ledger/lines/run-lines.ts";
import { keptOnlyIfWorth } from "../../reuse/worth-keeping.ts";
import { leftAfterRestartMs } from "../deadlines/run-deadline.ts";
import { leavesDoubt, leftAfterAnswer, leftMember, leftWithoutAnswer, turned } from "./next-member.ts";
import { mapOutput } from "../../catalog/alternatives/map-output.ts";
import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";
import { type ResourceOutcome, resourceOutcome, unknownResourceNotes } from "./run-resources.ts";

/*
 * The life of a run; nothing else decides what a run may become. Live code, recovery and the model tests go through it.
 *
 *   from                      event       to          note
 *   -                         accept      READY       waits for a slot at its provider
 *   -                         accept      RUNNING     a slot was free
 *   -                         block       BLOCKED     a budget or run cap refused it; nothing is held or called
 *   -                         reuse       COMPLETED   an earlier answer was found at once; nothing is held or called
 *   -                         accept      READY       waits for a person's approval
 *   READY                     approved    READY       waits for a slot from now on
 *   READY                     denied      BLOCKED     a person said no
 *   READY                     go          RUNNING     not while it waits for approval
 *   READY                     reused      COMPLETED   an equal run that it waited for gave the answer; charged 0
 *   RUNNING, STOPPING         job         same        the provider works on it; a STOPPING one is then stopped there
 *   READY, RUNNING            stopAsked   STOPPING    async runs, and those that wait for approval
 *   RUNNING, STOPPING         answered    COMPLETED   any status of the provider; charged only when 2xx
 *   READY, RUNNING, STOPPING  noAnswer    FAILED      charged 0
 *   RUNNING                   answered,   READY       through a route: at its next member, by the rules of
 *                             noAnswer                next-member.ts
 *   READY, RUNNING, STOPPING  deadline    TIMED_OUT   charged 0; BLOCKED when it waited for approval until then
 *   RUNNING, STOPPING         stopped     STOPPED     charged 0
 *   STOPPING                  stopRefused same        the job goes on, and the run ends as the provider ends it
 *   READY, RUNNING, STOPPING  restarted   same        or TIMED_OUT, if the deadline has passed meanwhile and no market can
 *                                                     be asked; or FAILED, if the call may have happened and may not be
 *                                                     repeated
 *   READY, RUNNING, STOPPING  cutShort    same        the current effect gave no result: a stop goes on from there, and a run
 *                                                     that waits or has a job is left to the next start; or TIMED_OUT; or FAILED
 *
 * Source: docs/contract.md, "Run statuses" and "End of a run"; docs/storage.md, "Runs and money on the disk".
 */

export type RunEvent =
  | {
      readonly type: "approved" | "denied";
      readonly at: string;
      readonly decision: ApprovalDecision;
      /** Ids of keys that must still be valid: that of the one who decides, and for an approval that which asked. */
      readonly keys: readonly string[];
    }
  | { readonly type: "go"; readonly at: string }
  | { readonly type: "reused"; readonly at: string; readonly source: RunRecord }
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
  | ({ readonly type: "deadline"; readonly at: string } & Pick<CallFailure, "maybeExecuted" | "attempts" | "remote">)
  | { readonly type: "stopped"; readonly at: string; readonly note?: string; readonly remote?: RemoteRun }
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
  /** The run at the market that was asked. */
  readonly remote?: RemoteRun;
  /** What a person has to set up first. */
  readonly setup?: MissingSetup;
}

type CutShort = Extract<RunEvent, { type: "cutShort" }>;
type Answered = Extract<RunEvent, { type: "answered" }>;

/** What to do next, once the line is durable. */
export type RunEffect =
  | "waitForApproval"
  | "waitForPlace"
  | "callProvider"
  | "pollProvider"
  | "stopAtProvider"
  | "endStop"
  | "none";

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

/**
 * Creates a run: READY, or RUNNING if the provider has a free slot and nobody has to approve it. The hold is part of the same
 * line.
 */
export function accept(run: RunRecord): FirstStep {
  return {
    run,
    line: {
      t: "run.accepted",
      ...heading(run, run.createdAt),
      ...versionOf(run),
      rec: run,
      led: hold(run.workspaceId, run.heldMicroDollars),
    },
    effect: effectOfReady(run) ?? "callProvider",
  };
}

/** What a daemon of an earlier version would lose of an open run raises the version of its line. */
function versionOf({ approval, market, route }: RunRecord): { readonly v?: 2 | 3 } {
  if (market !== undefined || route?.next.some((member) => member.market !== undefined)) return { v: 3 };
  return approval === undefined ? {} : { v: 2 };
}

/** Undefined for a run that is not READY. */
function effectOfReady(run: RunRecord): RunEffect | undefined {
  if (run.status !== "READY") return undefined;
  return waitsForApproval(run) ? "waitForApproval" : "waitForPlace";
}

/** Creates a run that ends at once because a control refused it. Nothing is held, so there is nothing to bill. */
export function block({ startedAt: _startedAt, ...born }: RunRecord, reason: string): FirstStep {
  const run: RunRecord = {
    ...born,
    status: "BLOCKED",
    heldMicroDollars: NO_MONEY,
    reason,
    completedAt: born.createdAt,
    ...(born.route !== undefined && { route: { ...born.route, next: [] } }),
  };
  return { run, line: { t: "run.done", ...heading(run, run.createdAt), rec: run, led: [] }, effect: "none" };
}

/** Creates a run that ends at once with the answer of an earlier one. It costs nothing, so nothing is held. */
export function reuse({ startedAt: _startedAt, ...born }: RunRecord, source: RunRecord): FirstStep {
  const run = answeredFrom({ ...born, heldMicroDollars: NO_MONEY }, born.createdAt, source);
  const rec: RunRecord = { ...run, answeredFrom: { ...sourceOf(source), atOnce: true } };
  return { run: rec, line: { t: "run.done", ...heading(rec, rec.createdAt), v: 3, rec, led: [] }, effect: "none" };
}

function answeredFrom(run: RunRecord, at: string, source: RunRecord): RunRecord {
  const { output, providerResponse, resultCount, pages } = source;
  return {
    ...end(run, "COMPLETED", at),
    output,
    ...(providerResponse !== undefined && { providerResponse }),
    resultCount,
    ...(pages !== undefined && { pages }),
    answeredFrom: sourceOf(source),
  };
}

function sourceOf({ runId, completedAt, createdAt, billing }: RunRecord): NonNullable<RunRecord["answeredFrom"]> {
  return { runId, completedAt: completedAt ?? createdAt, savedMicroDollars: billing?.reported ?? NO_MONEY };
}

export function transition(before: RunRecord, event: RunEvent): RunStep {
  if (isTerminal(before)) throw new IllegalRunEvent(before, event.type);
  const run = "remote" in event ? withRemote(before, event.remote) : before;
  switch (event.type) {
    case "approved":
      if (!waitsForApproval(run) || isExpired(run, event.at)) throw new IllegalRunEvent(run, event.type);
      return guarded(approved(run, event.decision), event.keys);
    case "denied":
      if (!waitsForApproval(run)) throw new IllegalRunEvent(run, event.type);
      return guarded(unapproved(run, event.decision), event.keys);
    case "go":
      if (run.status !== "READY" || waitsForApproval(run)) throw new IllegalRunEvent(run, event.type);
      return written(run, { t: "run.go", ...heading(run, event.at) }, "callProvider");
    case "reused":
      if (run.status !== "READY" || waitsForApproval(run)) throw new IllegalRunEvent(run, event.type);
      return done(answeredFrom(run, event.at, event.source));
    case "job":
      return jobMoved(run, event);
    case "stopAsked":
      return stopAsked(run, event.at);
    case "answered":
      if (run.status === "READY") throw new IllegalRunEvent(run, event.type);
      return answered(run, event);
    case "noAnswer": {
      const why = leftWithoutAnswer(run, event);
      return why === undefined ? failed(run, event) : turnToNext(run, event, why);
    }
    case "deadline":
      if (waitsForApproval(run)) return unapproved(run, { kind: "expired", at: event.at });
      if (event.remote?.status === "TIMED_OUT") {
        const why = leftWithoutAnswer(run, { source: "provider", message: TIMED_OUT_THERE, maybeExecuted: true });
        if (why !== undefined) return turnToNext(run, event, why);
      }
      return done({
        ...end(run, "TIMED_OUT", event.at),
        attempts: cutAttempts([...run.attempts, ...event.attempts]),
        error: { source: "mkt", message: `The run did not end within its deadline of ${run.deadlineMs} ms` },
        notes: [...run.notes, ...(isInDoubt(run, event) ? unknownResourceNotes(run) : [])],
        ...(isInDoubt(run, event) && { providerMayHaveCharged: true as const }),
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
    case "run.approved":
      return run.approval === undefined ? run : { ...run, approval: { ...run.approval, decision: line.decision } };
    case "run.go":
      return { ...run, status: "RUNNING", startedAt: line.at };
    case "run.job":
      return { ...run, job: line.job, attempts: line.job.attempts };
    case "run.next":
      return turned(run, line);
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

function guarded(step: RunStep, keys: readonly string[]): RunStep {
  return { ...step, guards: keys.map((keyId) => ({ kind: "keyActive", keyId })) };
}

/** By the clock: whoever waits for it may learn of it a little later. */
function isExpired({ approval }: RunRecord, at: string): boolean {
  return approval !== undefined && at >= approval.expiresAt;
}

/** The line repeats what was approved, so that it can be checked, and shown, alone. */
function approved(run: RunRecord, decision: ApprovalDecision): RunStep {
  const { caller, manifestHash, heldMicroDollars, approval } = run;
  const of = { caller, manifestHash, inputDigest: approval?.inputDigest ?? "", heldMicroDollars };
  return written(run, { t: "run.approved", ...heading(run, decision.at), decision, of }, "waitForPlace");
}

/** Ends a run that nobody approved: nothing was called, so there is nothing to bill, and the hold goes back. */
function unapproved(run: RunRecord, decision: ApprovalDecision): RunStep {
  const { approval } = run;
  return done({
    ...run,
    status: "BLOCKED",
    completedAt: decision.at,
    reason: unapprovedReason(run, decision),
    ...(approval !== undefined && { approval: { ...approval, decision } }),
  });
}

function unapprovedReason({ heldMicroDollars }: RunRecord, { kind, by, keyLabel, reason }: ApprovalDecision): string {
  const what = `This run may cost up to ${formatDollars(heldMicroDollars)}`;
  const why =
    kind === "expired"
      ? "nobody approved it in time"
      : `${keyLabel === undefined ? (by ?? "somebody") : `the key "${keyLabel}"`} denied it${reason === undefined ? "" : `: ${reason}`}`;
  return `${what}, and ${why}. Nothing was called or charged.`;
}

function failed(run: RunRecord, event: { readonly at: string } & CallFailure): RunStep {
  return done({
    ...end(run, "FAILED", event.at),
    attempts: cutAttempts([...run.attempts, ...event.attempts]),
    error: { source: event.source, message: event.message, ...event.setup },
    notes: [...run.notes, ...(isInDoubt(run, event) ? unknownResourceNotes(run) : [])],
    ...(isInDoubt(run, event) && { providerMayHaveCharged: true as const }),
  });
}

/** A provider that has accepted a job may go on with it, also when it was certainly not asked about it. A market tells. */
function isInDoubt({ status, job, market }: RunRecord, { maybeExecuted }: Pick<CallFailure, "maybeExecuted">): boolean {
  return status !== "READY" && (maybeExecuted || (job !== undefined && market === undefined));
}

const TIMED_OUT_THERE = "The run did not end within its deadline at the market";

/** Leaves a member of a route for the next one. Which one was called is on the disk before the next one is. */
function turnToNext(
  run: RunRecord,
  { at, attempts: made }: { readonly at: string; readonly attempts: readonly Attempt[] },
  why: Parameters<typeof leftMember>[2],
): RunStep {
  const attempts = cutAttempts([...run.attempts, ...made]);
  return written(run, { t: "run.next", ...heading(run, at), left: leftMember(run, at, why), attempts }, "waitForPlace");
}

function stopAsked(run: RunRecord, at: string): RunStep {
  if (!isStoppable(run)) throw new IllegalRunEvent(run, "stopAsked");
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
  if (!wasStoppedInLine && leftAfterRestartMs(run, Date.parse(at)) === 0) {
    return transition(run, { type: "deadline", at, maybeExecuted: true, attempts: [] });
  }
  const ready = effectOfReady(run);
  if (ready !== undefined) return { run, effect: ready };
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
  // Never another member of a route, whatever its caller allows: a call may have happened.
  return failed(run, {
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
    const remote = failure?.remote;
    return transition(run, { type: "deadline", at, maybeExecuted, attempts, ...(remote !== undefined && { remote }) });
  }
  // Nothing was called, and the stop is on the disk: whatever else ends the wait, the run is stopped.
  if (isWait(doing) && run.status === "STOPPING") return { run, effect: "endStop" };
  if (by === "shutdown" && (mayBeLeft(run) || isFoundAgain(run))) return { run, effect: "none" };
  if (stopWished && (doing === "pollProvider" || isWait(doing))) {
    return { run, effect: run.job === undefined ? "endStop" : "stopAtProvider" };
  }
  if (doing === "stopAtProvider") return transition(run, { type: "stopRefused", at });
  if (failure === undefined) return { run, effect: "none" };
  if (by !== "shutdown") return transition(run, { type: "noAnswer", at, ...failure });
  const message = `The daemon was stopped ${run.status === "READY" ? "before" : "during"} the call`;
  return failed(run, { at, ...failure, source: "mkt", message });
}

function isWait(effect: RunEffect): boolean {
  return effect === "waitForPlace" || effect === "waitForApproval";
}

/** The run, its resources and the money are written in one line, so they always agree, or none of them is written. */
function answered(run: RunRecord, event: Answered): RunStep {
  const { at, answer, resources = [], holder } = event;
  const why = leftAfterAnswer(run, answer);
  if (why !== undefined) return turnToNext(withRemote(run, answer.remote), { at, attempts: answer.attempts }, why);
  const outcome = resourceOutcome(run, at, answer, { touched: resources, holder });
  return done(complete(run, event, outcome), outcome);
}

function complete(run: RunRecord, { at, answer, elapsedMs }: Answered, outcome: ResourceOutcome): RunRecord {
  const quantities = {
    input: run.input,
    output: answer.body,
    measured: { ...answer.measured, elapsedMs: runTimeMs(run, at, elapsedMs) },
  };
  const byMarket = chargeOfMarket(run.market, answer);
  const charge = byMarket ?? calculateCharge(run.price, quantities);
  const rent = outcome.isRented ? run.resourcePlan?.provisions?.rent : undefined;
  const { overrunMicroDollars, ...billing } = settle({
    success: answer.success,
    calculated: add(charge.calculatedMicroDollars, rent?.amountMicroDollars ?? NO_MONEY),
    calculatedWithoutMarkup: add(
      byMarket?.costMicroDollars ?? calculateCharge(run.priceWithoutMarkup, quantities).calculatedMicroDollars,
      rent?.costMicroDollars ?? NO_MONEY,
    ),
    // The hold of a route covers its dearest member; each member's charge stays within its own maximum.
    held: run.route?.maximumMicroDollars ?? run.heldMicroDollars,
    ...(answer.measured.costMicroDollars !== undefined && {
      providerCostMicroDollars: answer.measured.costMicroDollars,
    }),
  });
  const count = answer.measured.count;
  const completed: RunRecord = {
    ...withRemote(withoutDoubt(run), answer.remote),
    status: "COMPLETED",
    completedAt: at,
    billing,
    attempts: cutAttempts([...run.attempts, ...answer.attempts]),
    output: answer.success ? outputOf(run, answer) : null,
    providerResponse: {
      httpStatus: answer.httpStatus,
      ...(answer.error !== undefined && { error: answer.error }),
    },
    // A measured zero is "no results" too. Contract, D12.
    resultCount: answer.success && count !== undefined && Number.isInteger(count) && count > 0 ? count : null,
    ...(answer.success && answer.pages !== undefined && { pages: pagesOf(run, answer.pages) }),
    ...(answer.success && charge.billedUnits !== undefined && { billedUnits: charge.billedUnits }),
    ...(overrunMicroDollars !== undefined && overrunMicroDollars > 0 && { overrunMicroDollars }),
    ...(answer.success && charge.notes.length > 0 && { unmeasured: true as const }),
    notes: [
      ...run.notes,
      ...answer.notes,
      ...(answer.success ? charge.notes : []),
      ...overchargeNotes(run.market, answer.remote),
      ...(elapsedMs !== undefined && charge.rules.some(({ type }) => type === "METERED") ? [CLOCK_WAS_SET] : []),
      ...outcome.notes,
    ],
    ...(outcome.effects.length > 0 && { resources: [...outcome.effects] }),
  };
  return keptOnlyIfWorth(completed, { success: answer.success, output: completed.output, count });
}

/** The input for the next page is the member's own, which the route does not take. */
function pagesOf({ route }: RunRecord, { next, ...read }: NonNullable<ProviderAnswer["pages"]>) {
  return route === undefined && next !== undefined ? { ...read, next } : read;
}

/** In the shape of the route, where the member's output is mapped. */
function outputOf({ input, route }: RunRecord, { output }: ProviderAnswer): unknown {
  return route?.output === undefined ? (output ?? null) : mapOutput(route.output, output, route.input ?? input);
}

/** The answer tells what happened. Most runs were never in doubt, and nothing is copied for them. */
function withoutDoubt(run: RunRecord): RunRecord {
  if (run.providerMayHaveCharged === undefined) return run;
  const { providerMayHaveCharged: _doubt, ...certain } = run;
  return certain;
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

/** Ends a run without an answer, so without a charge; with one, it is `complete`. */
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

function done(ending: RunRecord, outcome?: ResourceOutcome): RunStep {
  const run = ending.route === undefined ? ending : afterRoute(ending, ending.route);
  const led = settlePostings(run.workspaceId, {
    held: run.heldMicroDollars,
    charged: run.billing?.reported ?? NO_MONEY,
  });
  const res = outcome === undefined || outcome.changed.length === 0 ? {} : { res: [...outcome.changed] };
  const line = { t: "run.done", ...heading(run, run.completedAt ?? run.createdAt), rec: run, led, ...res } as const;
  const step = written(run, line, "none");
  return outcome === undefined || outcome.guards.length === 0 ? step : { ...step, guards: outcome.guards };
}

const MAY_HAVE_RUN_ELSEWHERE =
  "A member of the route that was left may have been executed, and its provider may have charged the service for it";

/** What was never tried is not kept, and the doubt about a member that was left is told. */
function afterRoute(run: RunRecord, route: NonNullable<RunRecord["route"]>): RunRecord {
  const ended = { ...run, route: { ...route, next: [] } };
  if (!leavesDoubt(run)) return ended;
  return { ...ended, providerMayHaveCharged: true, notes: [...run.notes, MAY_HAVE_RUN_ELSEWHERE] };
}

function heading(run: RunRecord, at: string): { v: 1; at: string; ws: string; run: string } {
  return { v: 1, at, ws: run.workspaceId, run: run.runId };
}

type Standing = Pick<RunRecord, "mode" | "status"> & Partial<Pick<RunRecord, "approval">>;

/**
 * True while a stop can be requested: for async runs that have not ended, and those that wait for approval.
 * docs/contract.md, "Stopping".
 */
export function isStoppable(run: Standing): boolean {
  if (waitsForApproval(run)) return true;
  return run.mode === "async" && (run.status === "READY" || run.status === "RUNNING");
}

/**
 * True for a run that nobody is connected for (an async one, and one that waits or waited for approval) and that is queued or has
 * a job: the next start resumes it, so nothing is lost by leaving it.
 */
export function mayBeLeft(run: Standing & Pick<RunRecord, "job">): boolean {
  return isBackground(run) && (run.status === "READY" || run.job !== undefined);
}

/** True when its caller is answered before it ends: an async run, and one that had to be approved. */
export function isBackground(run: Pick<Standing, "mode" | "approval">): boolean {
  return run.mode === "async" || run.approval !== undefined;
}

/** True for a run that its market finds by its key when the next start of the daemon asks for it. */
function isFoundAgain({ market, repeatable, status }: RunRecord): boolean {
  return market !== undefined && repeatable && status === "RUNNING";
}

/**
 * The job that nobody needs any more, and that is still at the provider, when the run's deadline has passed: also a run at a
 * market that was expected to end at once and waits there, perhaps for somebody's approval.
 */
export function jobLeft({
  status,
  job,
  market,
}: Pick<RunRecord, "status" | "job" | "market">): ProviderJob | undefined {
  if (status !== "TIMED_OUT" || job !== undefined) return status === "TIMED_OUT" ? job : undefined;
  return jobAtMarket(market);
}

/** The run at a market, as a job that can be stopped there; undefined when none is known, or it has ended. */
export function jobAtMarket(market: Pick<MarketRecord, "run"> | undefined): ProviderJob | undefined {
  const there = market?.run;
  if (there === undefined || isTerminal(there)) return undefined;
  return { kind: "job", externalId: there.runId, state: {}, pollAfterMs: 0, polls: 0, attempts: [] };
}
