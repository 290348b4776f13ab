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
  /** As last made durable, with the provider's newest progress. */
  current(): RunRecord;
  /** Resolves when the end is durable, or this process lets go of the run; never rejects. */
  readonly ended: Promise<void>;
  /** Resolves when the wish is durable; throws `IllegalRunEvent` when the run cannot be stopped. */
  askStop(): Promise<RunRecord>;
  /** Resolves when everything that happened to the run so far is durable, or was refused; never rejects. */
  settled(): Promise<void>;
}

/** What carrying on a run needs. */
export interface RunAtWorkParts {
  readonly store: Committer & Pick<ResourceStore, "findResource" | "findHolder">;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queue: RunQueue;
  readonly onEnded: (run: RunRecord) => void;
}

/** How a run is taken up. */
export interface RunStart {
  /** As it was when the run began (docs/manifest.md, "Versions"); undefined for one that has left the catalog. */
  readonly entry: CatalogEntry | undefined;
  readonly place: ProviderPlace | undefined;
  /** Of the call that begins the run, where it was built before. */
  readonly body?: BuiltBody;
  /** An earlier process began it. */
  readonly isResumed: boolean;
}

/** One run: does what `transition` asks for, one event after the other, and tells it what came of that. */
export class RunAtWork implements LiveRun {
  readonly ended: Promise<void>;
  readonly #parts: RunAtWorkParts;
  readonly #entry: CatalogEntry | undefined;
  readonly #isResumed: boolean;
  readonly #runTime: RunTime;
  /** Aborted with `Interrupted`. */
  readonly #interruption = new AbortController();
  /** Aborted when a stop was asked for; a new one as soon as the provider is asked to stop. */
  #stopWish = new AbortController();
  #wasAskedToStop = false;
  #isLeaving = false;
  #run: RunRecord;
  #place: ProviderPlace | undefined;
  /** Until the provider is called. */
  #body: BuiltBody | undefined;
  #end: () => void = () => {};
  /** Events of one run are taken one after the other: each commit is waited for before the next event. */
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

  /** Lets go of the run as soon as the next start can take it up. */
  leave(): void {
    this.#isLeaving = true;
    if (mayBeLeft(this.#run)) this.interrupt("shutdown");
  }

  interrupt(by: Interrupted["by"]): void {
    this.#interruption.abort(new Interrupted(by));
  }

  /** Works on the run until it has ended, or this process lets go of it; never rejects. A new run begins with `first`. */
  async live(first: RunEffect): Promise<void> {
    const leftMs = leftOfDeadlineMs(this.#run, this.#parts.clock.now());
    const timer = setTimeout(() => this.interrupt("deadline"), leftMs);
    timer.unref();
    try {
      let doing: RunEffect = "none";
      let next = this.#isResumed ? await this.#apply({ type: "restarted", at: this.#now() }) : first;
      while (next !== "none" && !isTerminal(this.#run)) {
        if (this.#isLeaving && mayBeLeft(this.#run)) break;
        doing = next;
        next = await this.#perform(doing);
      }
      if (leavesJob(this.#run) && doing !== "stopAtProvider") void this.#tellProviderToStop();
    } catch (error) {
      this.#parts.logger.error({ err: error, runId: this.#run.runId }, "a run could not be carried on");
    } finally {
      clearTimeout(timer);
      this.#place?.release();
      this.#end();
      if (isTerminal(this.#run)) this.#parts.onEnded(this.#run);
    }
  }

  /** Takes an event: the line is durable when this resolves. */
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

  /** What was being done threw: a deadline, a stop, a shutdown, no answer, or a fault of ours. */
  async #tellCutShort(error: unknown, doing: RunEffect): Promise<RunEffect> {
    if (isTerminal(this.#run)) return "none";
    const reason: unknown = this.#interruption.signal.reason;
    const by = reason instanceof Interrupted ? reason.by : "failure";
    const failure = failureOf(error);
    const next = await this.#apply({
      type: "cutShort",
      at: this.#now(),
      doing,
      by,
      stopWished: this.#stopWish.signal.aborted,
      ...(failure !== undefined && { failure }),
    });
    if (failure === OUR_FAULT && by === "failure" && this.#run.status === "FAILED") {
      const facts = { err: error, runId: this.#run.runId, effect: doing };
      this.#parts.logger.error(facts, "a run failed inside the daemon");
    }
    return next;
  }

  /** A job past its deadline is of no use to anybody; telling the provider is a courtesy that nothing waits for. */
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

  /** Work that a stop, a deadline or a shutdown interrupts. */
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

/** What may have happened at the provider is not known. */
const OUR_FAULT: CallFailure = {
  source: "mkt",
  message: "The daemon failed during the call",
  maybeExecuted: true,
  attempts: [],
};

/** Undefined for an event that did not fit the run any more. */
function failureOf(error: unknown): CallFailure | undefined {
  if (error instanceof IllegalRunEvent) return undefined;
  if (!(error instanceof NoAnswerError)) return OUR_FAULT;
  const { source, message, maybeExecuted, attempts } = error;
  return { source, message, maybeExecuted, attempts };
}
