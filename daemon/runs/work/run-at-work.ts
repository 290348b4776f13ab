import { linkSignals } from "../../../shared/linked-signal.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Alarm, AlarmClock } from "../../base/alarm-clock.ts";
import { type Clock, isoNow } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import {
  type Provider,
  type ProviderAnswer,
  type ProviderJob,
  type ProviderOutcome,
  type ProviderRequest,
} from "../../providers/protocol/provider.ts";
import type { BuiltBody } from "../../providers/request/request-body.ts";
import { answerToGive, type EarlierAnswers } from "../../reuse/earlier-answers.ts";
import type { RunAhead } from "../../reuse/runs-ahead.ts";
import type { ResourceStore } from "../../ledger/stores/resource-store.ts";
import type { Committer } from "../../ledger/transaction/transaction.ts";
import type { AccountLookup } from "../admission/account-lookup.ts";
import { hasApprovedAccount } from "./approved-account.ts";
import { commitStep } from "../lifecycle/commit-step.ts";
import { EqualRuns, keptOnlyUnder } from "./equal-runs.ts";
import { failureOf, OUR_FAULT } from "./failure-of-call.ts";
import { STOP_TIMEOUT_MS, stopLateJob } from "../deadlines/late-stop.ts";
import type { Decided, LiveRun } from "./live-run.ts";
import { checkNotOvertaken, Overtaken } from "../queue/overtaken.ts";
import { laneOf } from "../queue/provider-lane.ts";
import { requestOfRun } from "./request-of-run.ts";
import { leftAfterRestartMs, leftOfDeadlineMs } from "../deadlines/run-deadline.ts";
import { jobAtMarket, jobLeft, mayBeLeft, type RunEffect, type RunEvent } from "../lifecycle/run-lifecycle.ts";
import { type Interrupted, RunInterruptions } from "../deadlines/run-interruptions.ts";
import type { ProviderPlace, RunQueue } from "../queue/run-queue.ts";
import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";
import type { LeftMember } from "../../ledger/records/run-route.ts";
import { RunTime } from "../deadlines/run-time.ts";
import { takeEvent } from "../lifecycle/take-event.ts";

/** What it takes to execute a run. */
export interface RunAtWorkParts {
  readonly store: Committer & Pick<ResourceStore, "findResource" | "findHolder">;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queue: RunQueue;
  /** For the deadlines and the polls of all runs. */
  readonly alarms: AlarmClock;
  /** Absent: no run is answered from an earlier one. */
  readonly earlierAnswers?: Pick<EarlierAnswers, "find" | "lead" | "keyNow">;
  /** The accounts of workspaces; absent: an approval is not held to the one of then before the call. */
  readonly accounts?: Pick<AccountLookup, "accountFor">;
  readonly onEnded: (run: RunRecord) => void;
  /** Where several daemons work on the store: resolves when the run is certainly still this one's to drive. */
  readonly confirmLease?: () => Promise<void>;
  /** A member of a route was left, durably; the run as it was there. */
  readonly onLeft?: (run: RunRecord, left: LeftMember) => void;
}

/** How the work on a run begins. */
export interface RunStart {
  /** The version under which the run began (docs/manifest.md, "Versions"); undefined if it has left the catalog. */
  readonly entry: CatalogEntry | undefined;
  readonly place: ProviderPlace | undefined;
  /** Of a run through a route: the versions of the members that it may turn to. */
  readonly members?: readonly CatalogEntry[];
  /** Body of the first call, if it is built already. */
  readonly body?: BuiltBody;
  /** Equal runs wait for this one. */
  readonly lead?: RunAhead | undefined;
  /** An earlier process began it. */
  readonly isResumed: boolean;
}

/**
 * Executes one run: performs the effects that `transition` returns, one at a time, and reports their results as events.
 */
export class RunAtWork implements LiveRun {
  readonly ended: Promise<void>;
  readonly #parts: RunAtWorkParts;
  #entry: CatalogEntry | undefined;
  #members: readonly CatalogEntry[];
  readonly #isResumed: boolean;
  readonly #runTime: RunTime;
  #wasAskedToStop = false;
  #isLeaving = false;
  readonly #interruptions: RunInterruptions;
  readonly #equals: EqualRuns;
  #run: RunRecord;
  #place: ProviderPlace | undefined;
  /** Kept until the provider is called. */
  #body: BuiltBody | undefined;
  /** What to do now that a person has decided. */
  #afterDecision: RunEffect | undefined;
  #decided: () => void = () => {};
  #deadline: Alarm | undefined;
  #end: () => void = () => {};
  /** The events of a run are processed one at a time: each waits for the commit of the one before. Undefined while none is. */
  #tail: Promise<void> | undefined;

  constructor(parts: RunAtWorkParts, run: RunRecord, start: RunStart) {
    const { entry, place, members = [], body, lead, isResumed } = start;
    this.#parts = parts;
    this.#entry = entry;
    this.#members = members;
    this.#run = run;
    this.#place = place;
    this.#body = body;
    this.#interruptions = new RunInterruptions(parts.alarms);
    this.#equals = new EqualRuns(parts.earlierAnswers, lead);
    this.#isResumed = isResumed;
    this.#runTime = new RunTime(parts.clock);
    if (!isResumed && run.status === "RUNNING") this.#runTime.begin();
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  current(): RunRecord {
    return this.#run;
  }

  async askStop(): Promise<RunRecord> {
    await this.#apply({ type: "stopAsked", at: this.#now() });
    const stopped = this.#run;
    this.#interruptions.wishStop();
    return stopped;
  }

  async decide(decision: Decided, approved?: readonly CatalogEntry[]): Promise<RunRecord> {
    // The time that an approval may take must not run out while its line is on its way.
    this.#deadline?.cancel();
    try {
      const next = await this.#apply(decision);
      const decided = this.#run;
      if (approved !== undefined) [this.#entry, this.#members] = [approved[0], approved];
      this.#afterDecision = next;
      this.#decided();
      return decided;
    } finally {
      if (!isTerminal(this.#run)) this.#setDeadline();
    }
  }

  async settled(): Promise<void> {
    await this.#tail;
  }

  /** Gives the run up as soon as the next start of the daemon can resume it. */
  leave(): void {
    this.#isLeaving = true;
    if (mayBeLeft(this.#run)) this.interrupt("shutdown");
  }

  interrupt(by: Interrupted["by"]): void {
    this.#interruptions.interrupt(by);
  }

  /** Works on the run until it has ended or this process gives it up; never rejects. A new run begins with `first`. */
  async live(first: RunEffect): Promise<void> {
    this.#setDeadline();
    try {
      let next = this.#isResumed ? await this.#apply({ type: "restarted", at: this.#now() }) : first;
      while (next !== "none" && !isTerminal(this.#run)) {
        if (this.#isLeaving && mayBeLeft(this.#run)) break;
        next = await this.#perform(next);
      }
      const left = jobLeft(this.#run);
      if (left !== undefined && !this.#wasAskedToStop) this.#stopLate(left);
    } catch (error) {
      this.#parts.logger.error({ err: error, runId: this.#run.runId }, "a run could not be carried on");
    } finally {
      this.#deadline?.cancel();
      this.#place?.release();
      this.#equals.endLead(answerToGive(this.#run));
      this.#end();
      if (isTerminal(this.#run)) this.#parts.onEnded(this.#run);
    }
  }

  /** Again after an approval: until then the run had the time that the approval may take. */
  #setDeadline(): void {
    this.#deadline?.cancel();
    const nowMs = this.#parts.clock.now();
    const leftMs = this.#isResumed ? leftAfterRestartMs(this.#run, nowMs) : leftOfDeadlineMs(this.#run, nowMs);
    this.#deadline = this.#parts.alarms.set(leftMs, () => this.interrupt("deadline"));
  }

  /** Processes an event; its line is durable when this resolves. */
  #apply(event: RunEvent): Promise<RunEffect> {
    const taken = this.#tail === undefined ? this.#take(event) : this.#tail.then(() => this.#take(event));
    const over = () => {
      if (this.#tail === tail) this.#tail = undefined;
    };
    const tail: Promise<void> = taken.then(over, over);
    this.#tail = tail;
    return taken;
  }

  async #take(event: RunEvent): Promise<RunEffect> {
    const { store } = this.#parts;
    const before = this.#run;
    const mayGo = this.#parts.confirmLease === undefined ? undefined : () => this.#checkNotOvertaken();
    const step = await takeEvent(store, before, event, (made) => commitStep(store, made, mayGo));
    this.#run = step.run;
    if (step.line?.t === "run.next") this.#turn(before, step.line.left);
    return step.effect;
  }

  /** The run is the next member's now, and has nothing at the one before. */
  #turn(before: RunRecord, left: LeftMember): void {
    this.#place?.release();
    this.#place = undefined;
    const late = jobAtMarket(left.market);
    if (late !== undefined) this.#stopLate(late, before);
    const { provider, endpoint } = this.#run;
    this.#entry = this.#members.find((entry) => entry.provider.provider === provider && entry.path === endpoint);
    this.#parts.onLeft?.(before, left);
  }

  async #perform(effect: RunEffect): Promise<RunEffect> {
    try {
      switch (effect) {
        case "waitForApproval":
          return await this.#waitForApproval();
        case "waitForPlace":
          return await this.#waitForPlace();
        case "callProvider":
          return await this.#callProvider();
        case "pollProvider":
          return await this.#pollProvider();
        case "stopAtProvider":
          return await this.#stopAtProvider();
        case "endStop":
          return await this.#apply({ type: "stopped", at: this.#now() });
        case "none":
          return "none";
      }
    } catch (error) {
      return await this.#tellCutShort(error, effect);
    }
  }

  async #waitForApproval(): Promise<RunEffect> {
    await this.#interruptions.untilStopWished(async (signal) => {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        this.#decided = resolve;
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        if (this.#afterDecision !== undefined) resolve();
      });
    });
    return this.#afterDecision ?? "none";
  }

  async #waitForPlace(): Promise<RunEffect> {
    for (;;) {
      const source = await this.#earlierAnswer();
      if (source !== undefined) return await this.#apply({ type: "reused", at: this.#now(), source });
      this.#place = await this.#interruptions.untilStopWished((signal) =>
        this.#parts.queue.enter(laneOf(this.#run.provider, this.#entry), this.#run, signal),
      );
      this.#runTime.begin();
      try {
        return await this.#apply({ type: "go", at: this.#now() });
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        this.#giveWay(error);
      }
    }
  }

  /** Goes back in line, or behind the equal run. */
  #giveWay({ by }: Overtaken): void {
    this.#place?.cancel();
    this.#place = undefined;
    if (by !== "equalRun") return;
    this.#equals.endLead();
  }

  /** For a run that was accepted while an equal one was under way, and for one that an earlier process left in line. */
  async #earlierAnswer(): Promise<RunRecord | undefined> {
    // Not even an answer that was kept is one to what was approved: the call says so.
    if (!this.#hasApprovedAccount()) return undefined;
    if (this.#equals.lead === undefined) await this.#renewReuseKey();
    const answer = await this.#equals.find(this.#run, {
      patienceMs: leftOfDeadlineMs(this.#run, this.#parts.clock.now()),
      until: (work) => this.#interruptions.untilStopWished(work),
    });
    return this.#hasApprovedAccount() ? answer : undefined;
  }

  async #renewReuseKey(): Promise<void> {
    const key = await this.#equals.keyNow(this.#run, this.#entry);
    this.#run = this.#equals.withKey(this.#run, key);
  }

  /** False when another account was connected after a person said yes. */
  #hasApprovedAccount(): boolean {
    const entry = this.#entry;
    return entry === undefined || hasApprovedAccount(this.#run, entry, this.#parts.accounts);
  }

  #checkNotOvertaken(): void {
    const wantsAnswer = this.#run.reuse?.maxAgeSeconds !== undefined;
    checkNotOvertaken({ place: this.#place, lead: this.#equals.lead, wantsAnswer });
  }

  async #callProvider(): Promise<RunEffect> {
    if (this.#run.reuse !== undefined) await this.#renewReuseKey();
    // Last: nothing may wait between it and the call. Without another turn of the event loop where one daemon is alone.
    if (this.#parts.confirmLease !== undefined) await this.#parts.confirmLease();
    const body = this.#body;
    this.#body = undefined;
    const asked = this.#request();
    const request = body === undefined ? asked : { ...asked, body };
    const outcome = await this.#interruptions.untilCut((signal) => this.#parts.provider.start(request, { signal }));
    return await this.#takeOutcome(outcome);
  }

  async #pollProvider(): Promise<RunEffect> {
    const job = this.#jobNow();
    await this.#interruptions.untilPollIsDue(job.pollAfterMs);
    const poll = (signal: AbortSignal) => this.#parts.provider.poll(this.#request(), job, { signal });
    return await this.#takeOutcome(await this.#interruptions.untilStopWished(poll));
  }

  async #takeOutcome(outcome: ProviderOutcome): Promise<RunEffect> {
    const at = this.#now();
    switch (outcome.kind) {
      case "answer":
        return await this.#takeAnswer(outcome);
      case "job":
        return await this.#takeJob(outcome);
      case "timedOut":
        return await this.#apply({
          type: "deadline",
          at,
          maybeExecuted: false,
          attempts: outcome.attempts,
          remote: outcome.remote,
        });
      case "stopped": {
        const { remote } = outcome;
        const note = "The provider stopped the job";
        return await this.#apply({ type: "stopped", at, note, ...(remote !== undefined && { remote }) });
      }
    }
  }

  async #stopAtProvider(): Promise<RunEffect> {
    this.#wasAskedToStop = true;
    this.#interruptions.takeStopWish();
    const [request, job] = [this.#request(), this.#jobNow()];
    const { outcome } = await this.#interruptions.untilCut(async (cut) => {
      const { signal, release } = linkSignals([cut], STOP_TIMEOUT_MS);
      return await this.#parts.provider.stop(request, job, { signal }).finally(release);
    });
    const at = this.#now();
    if (outcome === "refused") return await this.#apply({ type: "stopRefused", at });
    return await this.#apply({ type: "stopped", at, ...(outcome === "unsupported" && { note: CANNOT_STOP }) });
  }

  async #takeAnswer(answer: ProviderAnswer): Promise<RunEffect> {
    const elapsedMs = this.#runTime.elapsedMs();
    const at = this.#now();
    if (this.#run.reuse !== undefined) {
      const key = await this.#equals.keyNow(this.#run, this.#entry);
      this.#run = keptOnlyUnder(this.#run, key);
    }
    return await this.#apply({ type: "answered", at, answer, ...(elapsedMs !== undefined && { elapsedMs }) });
  }

  async #takeJob(job: ProviderJob): Promise<RunEffect> {
    return await this.#apply({ type: "job", at: this.#now(), job, refusedStop: this.#wasAskedToStop });
  }

  /** Handles an effect that threw: because of a deadline, a stop, a shutdown, a missing answer, or a bug of ours. */
  async #tellCutShort(error: unknown, doing: RunEffect): Promise<RunEffect> {
    if (isTerminal(this.#run)) return "none";
    const by = this.#interruptions.by ?? "failure";
    const failure = failureOf(error);
    const stopWished = this.#interruptions.isStopWished;
    try {
      const facts = { at: this.#now(), doing, by, stopWished, ...(failure !== undefined && { failure }) } as const;
      return await this.#apply({ type: "cutShort", ...facts });
    } finally {
      // Also when the end cannot be recorded: the second error must not hide the first one.
      if (failure === OUR_FAULT && by === "failure" && !stopWished) {
        const facts = { err: error, runId: this.#run.runId, effect: doing };
        this.#parts.logger.error(facts, "a run failed inside the daemon");
      }
    }
  }

  #stopLate(job: ProviderJob, run = this.#run): void {
    void stopLateJob(this.#parts, { runId: run.runId, request: () => this.#request(run), job });
  }

  #request(run = this.#run): ProviderRequest {
    return requestOfRun(run, this.#entry);
  }

  #jobNow(): ProviderJob {
    const { job } = this.#run;
    if (job === undefined) throw new Error(`run ${this.#run.runId} has no job to ask about`);
    return job;
  }

  #now(): string {
    return isoNow(this.#parts.clock);
  }
}

const CANNOT_STOP = "The provider has no way to stop a job: asking it for news was stopped, the job itself may go on";
