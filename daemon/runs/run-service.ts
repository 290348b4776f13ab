import type { RunId, WorkspaceId } from "../base/ids.ts";
import type { Quote } from "../../shared/contract/quote.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { ApiError } from "../../shared/errors.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { EntryVersions } from "../catalog/editions/entry-versions.ts";
import type { Clock } from "../base/clock.ts";
import { logAlerts } from "../controls/log-alerts.ts";
import type { WorkspaceCaller } from "../http/caller.ts";
import type { RunIdempotency } from "../ledger/idempotency-record.ts";
import type { IdentityStore } from "../ledger/identity-store.ts";
import type { Logger } from "../base/logger.ts";
import type { Provider } from "../providers/protocol/provider.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";
import type { Committer } from "../ledger/transaction.ts";
import type { AccountStore } from "../ledger/account-store.ts";
import { admit } from "./admission.ts";
import { countOpenRuns, type OpenRunLimits } from "./open-run-limits.ts";
import { quoteRun } from "./quote.ts";
import { endOfWaitMs, isAnswerKnown } from "./run-answer.ts";
import type { LiveRun } from "./run-at-work.ts";
import { createRunDriver } from "./run-driver.ts";
import { IllegalRunEvent } from "./run-lifecycle.ts";
import { createRunQueue } from "./run-queue.ts";
import { runNotFound, RunReader } from "./run-reader.ts";
import { isTerminal, type RunRecord } from "../ledger/run-record.ts";
import { RunStarter } from "./run-starter.ts";
import type { RunFilter, RunSlice, RunStore } from "../ledger/run-store.ts";
import { takeUpRuns } from "./take-up-runs.ts";
import { endedOrAborted, WaitingCallers } from "./waiting-callers.ts";

/** A timer may fire a little early; that must not miss a run that ends within the wait. */
const TIMER_SLACK_MS = 5;

export interface RunService {
  /**
   * Admits, holds and starts a run. Resolves when the run is durable and, for a sync endpoint, has ended; with
   * `waitSeconds` it waits for an async run as well. The returned state is durable; it is BLOCKED if a budget or run
   * cap refused the run. Throws rateLimited if too many runs are open or too many callers wait.
   */
  start(caller: WorkspaceCaller, request: RunRequest, options: StartOptions): Promise<RunRecord>;
  /**
   * What `start` would cost and which gates would refuse it, apart from the daemon's own load. Calls, holds and records
   * nothing.
   */
  quote(caller: WorkspaceCaller, request: RunRequest): Promise<Quote>;
  /** The run with everything that happened to it so far; throws notFound. */
  getSettled(workspaceId: WorkspaceId, runId: RunId): Promise<RunRecord>;
  /** Waits up to `waitSeconds` for the end. Throws notFound, and rateLimited if too many callers wait. */
  get(
    caller: WorkspaceCaller,
    runId: RunId,
    options?: { readonly waitSeconds?: number; readonly signal?: AbortSignal },
  ): Promise<RunRecord>;
  list(
    caller: WorkspaceCaller,
    filter: RunFilter,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<RunSlice>;
  /** Resolves when the stop request is durable. Throws conflict for a run that cannot be stopped. */
  stop(caller: WorkspaceCaller, runId: RunId): Promise<RunRecord>;
  /** Resumes the runs that were open when the daemon last ended. Call once, before the first request. */
  recover(): Promise<void>;
  /**
   * Accepts no new work. Calls in flight may finish; after `graceMs` they are recorded as failed. Jobs at providers are
   * left for the next start.
   */
  close(options: { readonly graceMs: number }): Promise<void>;
}

export interface StartOptions {
  readonly waitSeconds: number;
  readonly idempotency?: RunIdempotency;
  readonly signal?: AbortSignal;
}

export interface RunServiceParts {
  readonly catalog: Catalog;
  readonly versions: EntryVersions;
  readonly store: RunStore & AccountStore & ResourceStore & Pick<IdentityStore, "listWorkspaces"> & Committer;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly newId: () => string;
  /** True: the wallet gate is off, for a single person who wants no wallet. */
  readonly unlimited: boolean;
  /** Absent: no limits. */
  readonly openRunLimits?: OpenRunLimits;
  readonly logger: Logger;
  /** Called with every run that ended, after its end is durable. */
  readonly onFinished?: (run: RunRecord) => void;
}

export function createRunService(parts: RunServiceParts): RunService {
  const { store, clock, logger } = parts;
  const queue = createRunQueue();
  const openRuns = countOpenRuns(parts.openRunLimits ?? {});
  const driver = createRunDriver({
    ...parts,
    queue,
    onEnded(run) {
      openRuns.end(run);
      logEnd(logger, run);
      parts.onFinished?.(run);
    },
  });
  const starter = new RunStarter({ ...parts, queue, openRuns, driver });
  const reader = new RunReader(store);
  const waiting = new WaitingCallers();
  let closing: Promise<void> | undefined;

  async function startAndWait(caller: WorkspaceCaller, request: RunRequest, options: StartOptions): Promise<RunRecord> {
    const running = await begin(caller, request, options);
    if ("runId" in running) return running;
    return running.current().mode === "async" ? await waitForJob(running, options) : await waitForEnd(running, options);
  }

  /** A function of its own, so that a waiting caller does not keep the admitted run in memory. */
  async function begin(
    caller: WorkspaceCaller,
    request: RunRequest,
    { idempotency }: StartOptions,
  ): Promise<LiveRun | RunRecord> {
    const admitted = await admit(parts, caller, request);
    if (closing !== undefined) throw shuttingDown();
    return await starter.begin(caller, admitted, idempotency);
  }

  async function waitForEnd(running: LiveRun, { signal }: StartOptions): Promise<RunRecord> {
    await endedOrAborted(running, signal);
    const run = running.current();
    if (isTerminal(run)) return run;
    throw new ApiError("unavailable", `What became of run ${run.runId} could not be recorded; read it again later`, {
      extra: { runId: run.runId },
    });
  }

  async function waitForJob(running: LiveRun, { waitSeconds, idempotency, signal }: StartOptions): Promise<RunRecord> {
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

  return {
    async start(caller, request, options) {
      // Checked before anything is accepted: a run that needs a waiting caller must not begin when no more callers may
      // wait.
      const work = async () => await startAndWait(caller, request, options);
      return await waiting.whileWaiting(caller.workspaceId, options.waitSeconds, work);
    },

    quote: async (caller, request) => await quoteRun(parts, caller, request),

    async getSettled(workspaceId, runId) {
      await driver.find(runId)?.settled();
      const found = await store.findRun(workspaceId, runId);
      if (found === undefined) throw runNotFound(runId);
      return found;
    },

    async get(caller, runId, { waitSeconds = 0, signal } = {}) {
      // Looked up before the record: a run that ends in between is then read as ended, not taken for an abandoned one.
      const running = driver.find(runId);
      const found = await reader.get(caller, runId);
      if (running === undefined || isTerminal(found)) return found;
      const work = async () => await waiting.untilEnd(running, waitSeconds, signal);
      await waiting.whileWaiting(caller.workspaceId, waitSeconds, work);
      return running.current();
    },

    list: async (caller, filter, page) => await reader.list(caller, filter, page),

    async stop(caller, runId) {
      const running = driver.find(runId);
      const found = await reader.get(caller, runId);
      if (running === undefined) throw cannotStop(found);
      try {
        return await running.askStop();
      } catch (error) {
        if (error instanceof IllegalRunEvent) throw cannotStop(error.run);
        throw error;
      }
    },

    recover: async () => await takeUpRuns({ ...parts, openRuns, driver }),

    close({ graceMs }) {
      closing ??= (async () => {
        waiting.close();
        await starter.settled();
        await driver.close({ graceMs });
      })();
      return closing;
    },
  };
}

/** Logs for the operator what a run's end means for money: budgets that fill up, losses, and what was not measured. */
function logEnd(logger: Logger, run: RunRecord): void {
  const { runId, workspaceId, provider, endpoint } = run;
  logAlerts(logger, run.alerts ?? [], { runId, workspaceId });
  if (run.overrunMicroDollars !== undefined) {
    const { heldMicroDollars, overrunMicroDollars } = run;
    const facts = { runId, workspaceId, provider, endpoint, heldMicroDollars, overrunMicroDollars };
    logger.warn(facts, "a run cost more than was held; the operator bears the rest");
  }
  if (run.unmeasured === true) {
    const facts = { runId, workspaceId, provider, endpoint, notes: run.notes };
    logger.warn(facts, "what a run counts could not be read; only the flat part of its price was charged");
  }
}

function shuttingDown(): ApiError {
  return new ApiError("unavailable", "The daemon is shutting down; try again in a moment", { retryAfterSeconds: 2 });
}

function stillOpen(run: RunRecord): ApiError {
  const message = `The daemon stopped waiting for run ${run.runId}, which goes on; send the request again to wait for it`;
  return new ApiError("unavailable", message, { retryAfterSeconds: 2, extra: { runId: run.runId } });
}

function cannotStop(run: RunRecord): ApiError {
  const why = isTerminal(run)
    ? `it is ${run.status}`
    : run.status === "STOPPING"
      ? "a stop is already under way"
      : "its endpoint answers at once and has no job to stop";
  return new ApiError("conflict", `Run ${run.runId} cannot be stopped: ${why}`);
}
