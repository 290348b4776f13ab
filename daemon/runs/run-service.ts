import { setMaxListeners } from "node:events";
import type { Quote } from "../../shared/contract/quote.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { ApiError } from "../../shared/errors.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { EntryVersions } from "../catalog/editions/entry-versions.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { commitMade } from "../ledger/commit-made.ts";
import { DamagedOnDisk } from "../ledger/damaged-on-disk.ts";
import { onlyKeyOf, type WorkspaceCaller } from "../http/caller.ts";
import type { RunIdempotency } from "../ledger/idempotency-record.ts";
import type { IdentityStore } from "../ledger/identity-store.ts";
import type { Logger } from "../base/logger.ts";
import type { Provider } from "../providers/protocol/provider.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";
import type { Committer } from "../ledger/transaction.ts";
import type { AccountStore } from "../ledger/account-store.ts";
import { type AdmittedRun, admit } from "./admission.ts";
import { logEnd } from "./log-end.ts";
import { firstStep, MoneyRefused, type MoneyRefusal } from "./money-gates.ts";
import { newRun } from "./new-run.ts";
import { quoteRun } from "./quote.ts";
import { keyLimitRefusal, maxCostRefusal, walletRefusal } from "./refusal-words.ts";
import { type FirstStep, IllegalRunEvent } from "./run-lifecycle.ts";
import { countOpenRuns, type OpenRunLimits } from "./open-run-limits.ts";
import { laneOf } from "./provider-lane.ts";
import { endOfWaitMs, isAnswerKnown } from "./run-answer.ts";
import { createRunQueue } from "./run-queue.ts";
import { isTerminal, type RunRecord } from "../ledger/run-record.ts";
import type { LiveRun } from "./run-at-work.ts";
import { createRunDriver } from "./run-driver.ts";
import { ownOnly } from "./run-filter.ts";
import type { RunFilter, RunSlice, RunStore } from "../ledger/run-store.ts";
import { countWaitingCallers } from "./waiting-callers.ts";

/** A timer may come a little before its time; an end within the wait must not be missed by that. */
const TIMER_SLACK_MS = 5;

export interface RunService {
  /**
   * Admits, holds and starts a run; resolves when the run is durable and, for a sync endpoint, has ended. `waitSeconds`
   * waits for an async one as well. What it gives is durable; BLOCKED where a budget or run cap refused. Throws rateLimited
   * where too many runs are under way, or too many callers wait.
   */
  start(caller: WorkspaceCaller, request: RunRequest, options: StartOptions): Promise<RunRecord>;
  /** What `start` would cost and meet now, but for the daemon's own state. Calls, holds and records nothing. */
  quote(caller: WorkspaceCaller, request: RunRequest): Promise<Quote>;
  /** With everything that happened to it by now; throws notFound. */
  getSettled(workspaceId: string, runId: string): Promise<RunRecord>;
  /** Throws notFound; waits up to `waitSeconds` for the end. Throws rateLimited where too many callers wait. */
  get(
    caller: WorkspaceCaller,
    runId: string,
    options?: { readonly waitSeconds?: number; readonly signal?: AbortSignal },
  ): Promise<RunRecord>;
  list(
    caller: WorkspaceCaller,
    filter: RunFilter,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<RunSlice>;
  /** Resolves when the wish is durable. Throws conflict for a run that cannot be stopped. */
  stop(caller: WorkspaceCaller, runId: string): Promise<RunRecord>;
  /** Goes on with what was open when the daemon last ended. Call once, before the first request. */
  recover(): Promise<void>;
  /**
   * Takes no new work; calls in flight end or, after `graceMs`, are recorded as failed; jobs at providers are left for
   * the next start.
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
  /** True: the wallet gate is off (a person alone who wants no wallet). */
  readonly unlimited: boolean;
  /** None when absent. */
  readonly openRunLimits?: OpenRunLimits;
  readonly logger: Logger;
  /** Called with every run that ended, after its end is durable. */
  readonly onFinished?: (run: RunRecord) => void;
}

export function createRunService(parts: RunServiceParts): RunService {
  const { catalog, versions, store, clock, logger } = parts;
  const live = new Map<string, LiveRun>();
  const queue = createRunQueue();
  const openRuns = countOpenRuns(parts.openRunLimits ?? {});
  const waiting = countWaitingCallers();
  const driver = createRunDriver({
    ...parts,
    queue,
    onEnded(run) {
      live.delete(run.runId);
      openRuns.end(run);
      logEnd(logger, run);
      parts.onFinished?.(run);
    },
  });
  /** Runs whose first line is on its way to the disk. */
  const beginning = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const closed = new AbortController();
  // Every caller who waits listens to it; that is no leak.
  setMaxListeners(0, closed.signal);

  /** The run under way, or as it ended at once: BLOCKED. */
  async function begin(
    caller: WorkspaceCaller,
    admitted: AdmittedRun,
    idempotency: RunIdempotency | undefined,
  ): Promise<LiveRun | RunRecord> {
    const { entry } = admitted;
    const { workspaceId, key } = caller;
    if (entry.async !== undefined) await keepVersion(entry);
    const place = queue.tryEnter(laneOf(entry.provider.provider, entry), { workspaceId, caller: caller.actor });
    const run = newRun(caller, admitted, {
      runId: parts.newId(),
      resourceId: parts.newId(),
      at: isoNow(clock),
      hasPlace: place !== undefined,
      idempotency,
    });
    let step: FirstStep;
    try {
      step = await commitMade(store, {
        of: { workspaceId, keyId: key?.keyId },
        guards: key === undefined ? [] : [{ kind: "keyActive", keyId: key.keyId }],
        make(money) {
          const first = firstStep(run, money, parts);
          if (!isTerminal(first.run)) openRuns.begin(run);
          return first;
        },
      });
    } catch (error) {
      openRuns.end(run);
      place?.cancel();
      throw error instanceof MoneyRefused ? await toApiError(error.refusal, caller, run.heldMicroDollars) : error;
    }
    if (isTerminal(step.run)) {
      place?.cancel();
      return step.run;
    }
    const started = driver.drive(step.run, step.effect, { entry, place });
    live.set(step.run.runId, started);
    return started;
  }

  /** Its job may outlive this process. */
  async function keepVersion(entry: CatalogEntry): Promise<void> {
    await versions.keep(entry.provider).catch((error: unknown) => {
      logger.warn({ err: error, provider: entry.provider.provider }, "the version of a provider's file was not kept");
    });
  }

  /** Without the version that it began under, a run goes on under that of now: better than not at all. */
  async function findVersion({
    runId,
    provider,
    endpoint,
    manifestHash,
  }: RunRecord): Promise<CatalogEntry | undefined> {
    try {
      return await versions.find(provider, endpoint, manifestHash);
    } catch (error) {
      logger.warn(
        { err: error, runId, provider },
        "the version of a provider's file that a run began under is damaged",
      );
      return catalog.find(provider, endpoint);
    }
  }

  async function toApiError(
    { kind, available }: MoneyRefusal,
    caller: WorkspaceCaller,
    required: number,
  ): Promise<ApiError> {
    if (kind === "maxCost") return maxCostRefusal({ required, maxCost: available });
    if (kind === "keyLimit") return keyLimitRefusal(caller.key, { required, available });
    // The first workspace is the operator's own, which the command means when it names none.
    const [, ...others] = await store.listWorkspaces();
    const own = others.find(({ workspaceId }) => workspaceId === caller.workspaceId);
    return walletRefusal({ required, balance: available, workspace: own?.slug });
  }

  /** What `work` gives; it counts as a caller who waits. */
  async function whileWaiting<Result>(
    { workspaceId }: WorkspaceCaller,
    waitSeconds: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (waitSeconds <= 0) return await work();
    const end = waiting.begin(workspaceId);
    return await work().finally(end);
  }

  async function waitForEnd(running: LiveRun, waitSeconds: number, signal?: AbortSignal): Promise<void> {
    if (waitSeconds <= 0) return;
    const enough = linkSignals(signal === undefined ? [closed.signal] : [closed.signal, signal], waitSeconds * 1_000);
    try {
      await Promise.race([running.ended, aborted(enough.signal)]);
    } finally {
      enough.release();
    }
  }

  async function startAndWait(
    caller: WorkspaceCaller,
    request: RunRequest,
    { waitSeconds, idempotency, signal }: StartOptions,
  ): Promise<RunRecord> {
    const admitted = await admit(parts, caller, request);
    if (closing !== undefined) throw shuttingDown();
    const beginningNow = begin(caller, admitted, idempotency);
    beginning.add(beginningNow);
    const running = await beginningNow.finally(() => beginning.delete(beginningNow));
    if ("runId" in running) return running;
    if (running.current().mode === "async") {
      if (waitSeconds === 0) return running.current();
      const leftMs = endOfWaitMs(running.current(), waitSeconds) - clock.now();
      await waitForEnd(running, (leftMs + TIMER_SLACK_MS) / 1_000, signal);
      const nowMs = clock.now();
      await running.settled();
      const run = running.current();
      // Told now that it goes on, a caller who asks again could be told of an end within the wait.
      if (idempotency !== undefined && !isAnswerKnown(run, idempotency, nowMs)) throw stillOpen(run);
      return run;
    }
    await Promise.race([running.ended, ...(signal === undefined ? [] : [aborted(signal)])]);
    const run = running.current();
    if (isTerminal(run)) return run;
    throw new ApiError("unavailable", `What became of run ${run.runId} could not be recorded; read it again later`, {
      extra: { runId: run.runId },
    });
  }

  const find = async (caller: WorkspaceCaller, runId: string): Promise<RunRecord> => {
    const own = onlyKeyOf(caller);
    const run = await store.findRun(caller.workspaceId, runId).catch(async (error: unknown) => {
      if (!(error instanceof DamagedOnDisk)) throw error;
      // Whose it is stands in the index alone, and nobody is told of a run that is not theirs.
      if (own !== undefined && !(await isOf(caller.workspaceId, own.keyId, runId))) throw notFound(runId);
      throw new DamagedOnDisk(error.message, `The record of run ${runId}`, { cause: error });
    });
    if (run === undefined || (own !== undefined && run.keyId !== own.keyId)) throw notFound(runId);
    return run;
  };
  const isOf = async (workspaceId: string, keyId: string, runId: string): Promise<boolean> => {
    for await (const run of store.scanRuns(workspaceId, { keyId })) if (run.runId === runId) return true;
    return false;
  };
  const notFound = (runId: string) => new ApiError("notFound", `Run ${runId} not found`);

  return {
    start: async (caller, request, options) =>
      // Before anything is accepted: a run whose answer must be waited for is not begun where nobody may wait.
      await whileWaiting(caller, options.waitSeconds, async () => await startAndWait(caller, request, options)),

    quote: async (caller, request) => await quoteRun(parts, caller, request),

    async getSettled(workspaceId, runId) {
      await live.get(runId)?.settled();
      const found = await store.findRun(workspaceId, runId);
      if (found === undefined) throw notFound(runId);
      return found;
    },

    async get(caller, runId, { waitSeconds = 0, signal } = {}) {
      // Looked up first: a run that ends meanwhile is found ended, not taken for one that nobody works on.
      const running = live.get(runId);
      const found = await find(caller, runId);
      if (running === undefined || isTerminal(found)) return found;
      await whileWaiting(caller, waitSeconds, async () => await waitForEnd(running, waitSeconds, signal));
      return running.current();
    },

    async list(caller, filter, page) {
      return await store.listRuns(caller.workspaceId, ownOnly(caller, filter), page);
    },

    async stop(caller, runId) {
      const running = live.get(runId);
      const found = await find(caller, runId);
      if (running === undefined) throw cannotStop(found);
      try {
        return await running.askStop();
      } catch (error) {
        if (error instanceof IllegalRunEvent) throw cannotStop(error.run);
        throw error;
      }
    },

    async recover() {
      const open = await store.listOpenRuns();
      for (const run of open) {
        openRuns.resume(run);
        live.set(run.runId, driver.resume(run, await findVersion(run)));
      }
      await versions.retain(new Set(open.map(({ manifestHash }) => manifestHash))).catch((error: unknown) => {
        logger.warn({ err: error }, "versions of provider files that nothing needs were not removed");
      });
      if (open.length > 0) logger.info({ runs: open.length }, "going on with runs that were open");
    },

    close({ graceMs }) {
      closing ??= (async () => {
        closed.abort();
        await Promise.allSettled(beginning);
        await driver.close({ graceMs });
      })();
      return closing;
    },
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
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
