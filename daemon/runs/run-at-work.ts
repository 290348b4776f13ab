import { setTimeout as delay } from "node:timers/promises";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { commitMade } from "../ledger/commit-made.ts";
import type { Logger } from "../base/logger.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import {
  NoAnswerError,
  type Provider,
  type ProviderAnswer,
  type ProviderJob,
  type ProviderRequest,
} from "../providers/protocol/provider.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";
import type { Committer } from "../ledger/transaction.ts";
import { withAlerts } from "./run-alerts.ts";
import { IllegalRunEvent, type RunEffect, type RunEvent, type RunStep } from "./run-lifecycle.ts";
import { laneOf } from "./provider-lane.ts";
import { leftOfDeadlineMs } from "./run-deadline.ts";
import type { ProviderPlace, RunQueue } from "./run-queue.ts";
import { isTerminal, type RunRecord } from "../ledger/run-record.ts";
import { takeEvent } from "./take-event.ts";

/** By so much the clock and the time that passed may differ before the clock counts as set. */
const CLOCK_SLACK_MS = 1_000;
/** How long a provider may take to answer a stop. */
const STOP_TIMEOUT_MS = 10_000;

/** Why a run's work was interrupted. */
class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor(readonly why: "deadline" | "stop" | "shutdown") {
    super(`interrupted: ${why}`);
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
  /** An earlier process began it. */
  readonly isResumed: boolean;
}

/** One run: does what `transition` asks for, one event after the other; decides nothing itself. */
export class RunAtWork implements LiveRun {
  readonly ended: Promise<void>;
  readonly #parts: RunAtWorkParts;
  readonly #interruption = new AbortController();
  readonly #entry: CatalogEntry | undefined;
  #stopWish = new AbortController();
  #stopRefused = false;
  #leaving = false;
  #run: RunRecord;
  #place: ProviderPlace | undefined;
  /** The clock and the process's own time when the run began to run; unknown for one that an earlier process began. */
  #begun: { readonly clockMs: number; readonly processMs: number } | undefined;
  #end: () => void = () => {};
  /** Events of one run are taken one after the other: each commit is waited for before the next event. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(parts: RunAtWorkParts, run: RunRecord, { entry, place, isResumed }: RunStart) {
    this.#parts = parts;
    this.#entry = entry;
    // A job that went on while nobody asked is asked at once: it may have ended long ago.
    this.#run = isResumed && run.job !== undefined ? { ...run, job: { ...run.job, pollAfterMs: 0 } } : run;
    this.#place = place;
    if (!isResumed && run.status === "RUNNING") this.#begin();
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  current(): RunRecord {
    return this.#run;
  }

  /** Lets go of the run as soon as the next start can take it up. */
  leave(): void {
    this.#leaving = true;
    if (this.#mayBeLeft()) this.interrupt("shutdown");
  }

  /** An async run that waits in line or has a job: the next start takes it up, nothing is lost by leaving it. */
  #mayBeLeft(): boolean {
    return this.#run.mode === "async" && (this.#run.status === "READY" || this.#run.job !== undefined);
  }

  interrupt(why: Interrupted["why"]): void {
    this.#interruption.abort(new Interrupted(why));
  }

  async askStop(): Promise<RunRecord> {
    await this.apply({ type: "stopAsked", at: isoNow(this.#parts.clock) });
    const stopped = this.#run;
    this.#stopWish.abort(new Interrupted("stop"));
    return stopped;
  }

  async settled(): Promise<void> {
    await this.#tail;
  }

  /** Works on the run until it has ended, or this process lets go of it; never rejects. `first` gives what comes first. */
  async live(first: () => Promise<RunEffect>): Promise<void> {
    const leftMs = leftOfDeadlineMs(this.#run, this.#parts.clock.now());
    const timer = setTimeout(() => this.interrupt("deadline"), leftMs);
    timer.unref();
    try {
      let effect = await first();
      while (effect !== "none" && !isTerminal(this.#run)) {
        if (this.#leaving && this.#mayBeLeft()) break;
        effect = await this.#perform(effect);
      }
    } catch (error) {
      if (!(error instanceof Interrupted)) {
        this.#parts.logger.error({ err: error, runId: this.#run.runId }, "a run could not be carried on");
      }
    } finally {
      clearTimeout(timer);
      this.#place?.release();
      this.#end();
      if (isTerminal(this.#run)) this.#parts.onEnded(this.#run);
    }
  }

  /** Takes up a run that was open when the daemon last ended. */
  async takeUp(): Promise<RunEffect> {
    const effect = await this.apply({ type: "restarted", at: isoNow(this.#parts.clock) });
    if (this.#run.status === "TIMED_OUT" && this.#run.job !== undefined) void this.#tellProviderToStop();
    return effect;
  }

  /** Takes an event: the line is durable when this resolves. */
  async apply(event: RunEvent): Promise<RunEffect> {
    const taken = this.#tail.then(async () => {
      const step = await takeEvent(this.#parts.store, this.#run, event, (made) => this.#commit(made));
      this.#run = step.run;
      return step.effect;
    });
    this.#tail = taken.catch(() => {});
    return await taken;
  }

  /** The run as it was made durable; one that ends has with it what its charge brought about. */
  async #commit({ run, line, guards = [] }: RunStep): Promise<RunRecord> {
    const { store } = this.#parts;
    if (line?.t === "run.done") {
      const { workspaceId, keyId } = run;
      const ended = await commitMade(store, {
        of: { workspaceId, keyId },
        guards,
        make: (money) => ({ line: { ...line, rec: withAlerts(line.rec, money) } }),
      });
      return ended.line.rec;
    }
    if (line !== undefined) await store.commit({ line });
    return run;
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
          return await this.apply({ type: "stopped", at: isoNow(this.#parts.clock) });
        case "none":
          return "none";
      }
    } catch (error) {
      return await this.#afterFailure(error, effect);
    }
  }

  async #waitForPlace(): Promise<RunEffect> {
    this.#place = await this.#untilStopWished(
      async (signal) => await this.#parts.queue.enter(laneOf(this.#run.provider, this.#entry), this.#run, signal),
    );
    this.#begin();
    return await this.apply({ type: "go", at: isoNow(this.#parts.clock) });
  }

  #begin(): void {
    this.#begun = { clockMs: this.#parts.clock.now(), processMs: performance.now() };
  }

  /** The run time, where the clock was set since the run began. */
  #elapsedMs(): number | undefined {
    if (this.#begun === undefined) return undefined;
    const elapsedMs = Math.round(performance.now() - this.#begun.processMs);
    const byClockMs = this.#parts.clock.now() - this.#begun.clockMs;
    return Math.abs(byClockMs - elapsedMs) > CLOCK_SLACK_MS ? elapsedMs : undefined;
  }

  async #takeAnswer(answer: ProviderAnswer): Promise<RunEffect> {
    const elapsedMs = this.#elapsedMs();
    const at = isoNow(this.#parts.clock);
    return await this.apply({ type: "answered", at, answer, ...(elapsedMs !== undefined && { elapsedMs }) });
  }

  async #callProvider(): Promise<RunEffect> {
    const outcome = await this.#parts.provider.start(this.#request(), { signal: this.#interruption.signal });
    if (outcome.kind === "answer") return await this.#takeAnswer(outcome);
    return await this.apply({ type: "job", at: isoNow(this.#parts.clock), job: outcome });
  }

  async #pollProvider(): Promise<RunEffect> {
    const job = this.#jobNow();
    const outcome = await this.#untilStopWished(async (signal) => {
      await delay(job.pollAfterMs, undefined, { signal });
      return await this.#parts.provider.poll(this.#request(), job, { signal });
    });
    if (outcome.kind === "answer") return await this.#takeAnswer(outcome);
    const at = isoNow(this.#parts.clock);
    if (outcome.kind === "stopped")
      return await this.apply({ type: "stopped", at, note: "The provider stopped the job" });
    return await this.apply({ type: "job", at, job: outcome });
  }

  async #stopAtProvider(): Promise<RunEffect> {
    if (this.#stopRefused) return await this.#pollProvider();
    const [request, job] = [this.#request(), this.#jobNow()];
    const { signal, release } = linkSignals([this.#interruption.signal], STOP_TIMEOUT_MS);
    const outcome = await this.#parts.provider.stop(request, job, { signal }).finally(release);
    const at = isoNow(this.#parts.clock);
    if (outcome.outcome === "refused") {
      this.#goOnAfterRefusedStop();
      return "pollProvider";
    }
    return await this.apply({
      type: "stopped",
      at,
      ...(outcome.outcome === "unsupported" && {
        note: "The provider has no way to stop a job: asking it for news was stopped, the job itself may go on",
      }),
    });
  }

  /** What became of an effect that threw: a deadline, a stop, a shutdown, no answer, or a fault of ours. */
  async #afterFailure(error: unknown, effect: RunEffect): Promise<RunEffect> {
    const at = isoNow(this.#parts.clock);
    const reason: unknown = this.#interruption.signal.aborted ? this.#interruption.signal.reason : undefined;
    if (reason instanceof Interrupted && reason.why === "deadline") {
      const hadJob = this.#run.job !== undefined && effect !== "stopAtProvider";
      const { maybeExecuted, attempts } =
        error instanceof NoAnswerError ? error : { maybeExecuted: true, attempts: [] };
      const next = await this.apply({ type: "deadline", at, maybeExecuted, attempts });
      if (hadJob) void this.#tellProviderToStop();
      return next;
    }
    if (reason instanceof Interrupted && this.#mayBeLeft()) throw reason;
    if (this.#stopWish.signal.aborted && (effect === "pollProvider" || effect === "waitForPlace")) {
      this.#stopWish = new AbortController();
      return this.#run.job === undefined ? "endStop" : "stopAtProvider";
    }
    if (effect === "stopAtProvider" && !this.#stopRefused) {
      this.#goOnAfterRefusedStop();
      return "pollProvider";
    }
    const facts =
      error instanceof NoAnswerError ? error : { source: "mkt", maybeExecuted: true, attempts: [], message: undefined };
    const { maybeExecuted, attempts } = facts;
    if (reason instanceof Interrupted) {
      const message = `The daemon was stopped ${this.#run.status === "READY" ? "before" : "during"} the call`;
      return await this.apply({ type: "noAnswer", at, source: "mkt", message, maybeExecuted, attempts });
    }
    if (error instanceof IllegalRunEvent || isTerminal(this.#run)) return "none";
    if (facts.message === undefined) {
      this.#parts.logger.error({ err: error, runId: this.#run.runId, effect }, "a run failed inside the daemon");
    }
    const { source, message = "The daemon failed during the call" } = facts;
    return await this.apply({ type: "noAnswer", at, source, message, maybeExecuted, attempts });
  }

  /** The job goes on, and so does the run: it ends as the provider ends it, and is not asked to stop again. */
  #goOnAfterRefusedStop(): void {
    this.#stopRefused = true;
    this.#stopWish = new AbortController();
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
}
