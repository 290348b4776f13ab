import { setTimeout as delay } from "node:timers/promises";
import { linkSignals } from "../../shared/linked-signal.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import {
  NoAnswerError,
  type Provider,
  type ProviderAnswer,
  type ProviderJob,
  type ProviderRequest,
} from "../providers/protocol/provider.ts";
import type { BuiltBody } from "../providers/request/request-body.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";
import type { Committer } from "../ledger/transaction.ts";
import { commitStep } from "./commit-step.ts";
import { laneOf } from "./provider-lane.ts";
import { leftOfDeadlineMs } from "./run-deadline.ts";
import {
  type CallFailure,
  IllegalRunEvent,
  leavesJob,
  mayBeLeft,
  type RunEffect,
  type RunEvent,
} from "./run-lifecycle.ts";
import type { ProviderPlace, RunQueue } from "./run-queue.ts";
import { isTerminal, type RunRecord } from "../ledger/run-record.ts";
import { RunTime } from "./run-time.ts";
import { takeEvent } from "./take-event.ts";

/** How long a provider may take to answer a stop. */
const STOP_TIMEOUT_MS = 10_000;

/** Why a run's work was interrupted. */
class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor(readonly by: "deadline" | "shutdown") {
    super(`interrupted: ${by}`);
  }
}

/** A run that this process works on. */
export interface LiveRun {
  /** The last durable state, with the provider's newest progress. */
  current(): RunRecord;
  /** Resolves when the end is durable, or when this process gives the run up; never rejects. */
  readonly ended: Promise<void>;
  /** Resolves when the stop request is durable; throws `IllegalRunEvent` when the run cannot be stopped. */
  askStop(): Promise<RunRecord>;
  /** Resolves when every event of the run so far is durable or was refused; never rejects. */
  settled(): Promise<void>;
}

/** What it takes to execute a run. */
export interface RunAtWorkParts {
  readonly store: Committer & Pick<ResourceStore, "findResource" | "findHolder">;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queue: RunQueue;
  readonly onEnded: (run: RunRecord) => void;
}

/** How the work on a run begins. */
export interface RunStart {
  /** The version under which the run began (docs/manifest.md, "Versions"); undefined if it has left the catalog. */
  readonly entry: CatalogEntry | undefined;
  readonly place: ProviderPlace | undefined;
  /** Body of the first call, if it is built already. */
  readonly body?: BuiltBody;
  /** An earlier process began it. */
  readonly isResumed: boolean;
}

/**
 * Executes one run: performs the effects that `transition` returns, one at a time, and reports their results as events.
 */
export class RunAtWork implements LiveRun {
  readonly ended: Promise<void>;
  readonly #parts: RunAtWorkParts;
  readonly #entry: CatalogEntry | undefined;
  readonly #isResumed: boolean;
  readonly #runTime: RunTime;
  /** Aborted with `Interrupted`. */
  readonly #interruption = new AbortController();
  /** Aborted when a stop is requested; replaced as soon as the provider is asked to stop. */
  #stopWish = new AbortController();
  #wasAskedToStop = false;
  #isLeaving = false;
  #run: RunRecord;
  #place: ProviderPlace | undefined;
  /** Kept until the provider is called. */
  #body: BuiltBody | undefined;
  #end: () => void = () => {};
  /** The events of a run are processed one at a time: each waits for the commit of the one before. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(parts: RunAtWorkParts, run: RunRecord, { entry, place, body, isResumed }: RunStart) {
    this.#parts = parts;
    this.#entry = entry;
    this.#run = run;
    this.#place = place;
    this.#body = body;
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
    this.#stopWish.abort(new Error("a stop was asked for"));
    return stopped;
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
    this.#interruption.abort(new Interrupted(by));
  }

  /** Works on the run until it has ended or this process gives it up; never rejects. A new run begins with `first`. */
  async live(first: RunEffect): Promise<void> {
    const leftMs = leftOfDeadlineMs(this.#run, this.#parts.clock.now());
    const timer = setTimeout(() => this.interrupt("deadline"), leftMs);
    timer.unref();
    try {
      let next = this.#isResumed ? await this.#apply({ type: "restarted", at: this.#now() }) : first;
      while (next !== "none" && !isTerminal(this.#run)) {
        if (this.#isLeaving && mayBeLeft(this.#run)) break;
        next = await this.#perform(next);
      }
      if (leavesJob(this.#run) && !this.#wasAskedToStop) void this.#tellProviderToStop();
    } catch (error) {
      this.#parts.logger.error({ err: error, runId: this.#run.runId }, "a run could not be carried on");
    } finally {
      clearTimeout(timer);
      this.#place?.release();
      this.#end();
      if (isTerminal(this.#run)) this.#parts.onEnded(this.#run);
    }
  }

  /** Processes an event; its line is durable when this resolves. */
  async #apply(event: RunEvent): Promise<RunEffect> {
    const taken = this.#tail.then(async () => {
      const { store } = this.#parts;
      const step = await takeEvent(store, this.#run, event, async (made) => await commitStep(store, made));
      this.#run = step.run;
      return step.effect;
    });
    this.#tail = taken.catch(() => {});
    return await taken;
  }

  async #perform(effect: RunEffect): Promise<RunEffect> {
    try {
      switch (effect) {
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

  async #waitForPlace(): Promise<RunEffect> {
    this.#place = await this.#untilStopWished((signal) =>
      this.#parts.queue.enter(laneOf(this.#run.provider, this.#entry), this.#run, signal),
    );
    this.#runTime.begin();
    return await this.#apply({ type: "go", at: this.#now() });
  }

  async #callProvider(): Promise<RunEffect> {
    const body = this.#body;
    this.#body = undefined;
    const request = { ...this.#request(), ...(body !== undefined && { body }) };
    const outcome = await this.#parts.provider.start(request, { signal: this.#interruption.signal });
    if (outcome.kind === "answer") return await this.#takeAnswer(outcome);
    return await this.#takeJob(outcome);
  }

  async #pollProvider(): Promise<RunEffect> {
    const job = this.#jobNow();
    const outcome = await this.#untilStopWished(async (signal) => {
      await delay(job.pollAfterMs, undefined, { signal });
      return await this.#parts.provider.poll(this.#request(), job, { signal });
    });
    if (outcome.kind === "answer") return await this.#takeAnswer(outcome);
    if (outcome.kind === "job") return await this.#takeJob(outcome);
    return await this.#apply({ type: "stopped", at: this.#now(), note: "The provider stopped the job" });
  }

  async #stopAtProvider(): Promise<RunEffect> {
    this.#wasAskedToStop = true;
    this.#stopWish = new AbortController();
    const [request, job] = [this.#request(), this.#jobNow()];
    const { signal, release } = linkSignals([this.#interruption.signal], STOP_TIMEOUT_MS);
    const { outcome } = await this.#parts.provider.stop(request, job, { signal }).finally(release);
    const at = this.#now();
    if (outcome === "refused") return await this.#apply({ type: "stopRefused", at });
    return await this.#apply({ type: "stopped", at, ...(outcome === "unsupported" && { note: CANNOT_STOP }) });
  }

  async #takeAnswer(answer: ProviderAnswer): Promise<RunEffect> {
    const elapsedMs = this.#runTime.elapsedMs();
    const at = this.#now();
    return await this.#apply({ type: "answered", at, answer, ...(elapsedMs !== undefined && { elapsedMs }) });
  }

  async #takeJob(job: ProviderJob): Promise<RunEffect> {
    return await this.#apply({ type: "job", at: this.#now(), job, refusedStop: this.#wasAskedToStop });
  }

  /** Handles an effect that threw: because of a deadline, a stop, a shutdown, a missing answer, or a bug of ours. */
  async #tellCutShort(error: unknown, doing: RunEffect): Promise<RunEffect> {
    if (isTerminal(this.#run)) return "none";
    const reason: unknown = this.#interruption.signal.reason;
    const by = reason instanceof Interrupted ? reason.by : "failure";
    const failure = failureOf(error);
    const stopWished = this.#stopWish.signal.aborted;
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

  /** Nobody needs a job past its deadline. Telling the provider is a courtesy, and nothing waits for it. */
  async #tellProviderToStop(): Promise<void> {
    const { provider, logger } = this.#parts;
    const { signal, release } = linkSignals([], STOP_TIMEOUT_MS);
    try {
      await provider.stop(this.#request(), this.#jobNow(), { signal });
    } catch (error) {
      logger.warn({ err: error, runId: this.#run.runId }, "a late job could not be stopped");
    } finally {
      release();
    }
  }

  /** Does work that a stop, a deadline or a shutdown interrupts. */
  async #untilStopWished<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { signal, release } = linkSignals([this.#interruption.signal, this.#stopWish.signal]);
    return await work(signal).finally(release);
  }

  #request(): ProviderRequest {
    const entry = this.#entry;
    if (entry === undefined) {
      throw new NoAnswerError(`${this.#run.provider}${this.#run.endpoint} is no longer in the catalog`, {
        source: "mkt",
        maybeExecuted: this.#run.status !== "READY",
        attempts: [],
      });
    }
    return { runId: this.#run.runId, entry, input: this.#run.input };
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

/** A bug of ours: it is not known what happened at the provider. */
const OUR_FAULT: CallFailure = {
  source: "mkt",
  message: "The daemon failed during the call",
  maybeExecuted: true,
  attempts: [],
};

/** Undefined for an event that no longer fitted the run. */
function failureOf(error: unknown): CallFailure | undefined {
  if (error instanceof IllegalRunEvent) return undefined;
  if (!(error instanceof NoAnswerError)) return OUR_FAULT;
  const { source, message, maybeExecuted, attempts } = error;
  return { source, message, maybeExecuted, attempts };
}
