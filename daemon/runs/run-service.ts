import { setMaxListeners } from "node:events";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { ApiError } from "../../shared/errors.ts";
import { formatDollars, microDollars } from "../../shared/micro-dollars.ts";
import { balanceAccount } from "../billing/postings.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { type Clock, isoNow } from "../clock.ts";
import { type Guard, GuardFailed } from "../commit-errors.ts";
import type { WorkspaceCaller } from "../http/caller.ts";
import type { IdentityStore } from "../identity/identity-store.ts";
import type { Logger } from "../logger.ts";
import type { Provider } from "../providers/provider.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import type { Committer } from "../transaction.ts";
import type { AccountStore } from "../wallet/account-store.ts";
import { type AdmittedRun, admit } from "./admission.ts";
import { accept, IllegalRunEvent } from "./run-lifecycle.ts";
import { createRunQueue, type Place } from "./run-queue.ts";
import { isTerminal, type RunRecord } from "./run-record.ts";
import { createRunDriver, type LiveRun } from "./run-driver.ts";
import type { RunFilter, RunSlice, RunStore } from "./run-store.ts";

/** Runs at one provider side by side, unless its manifest says otherwise. */
const DEFAULT_CONCURRENCY = 64;

export interface RunService {
  /**
   * Admits, holds and starts a run; resolves when the run is durable and, for a sync endpoint, has ended. `waitSeconds`
   * waits for an async one as well. What it gives is durable.
   */
  start(
    caller: WorkspaceCaller,
    request: RunRequest,
    options: { readonly waitSeconds: number; readonly signal?: AbortSignal },
  ): Promise<RunRecord>;
  /** Throws notFound; waits up to `waitSeconds` for the end. */
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

export interface RunServiceParts {
  readonly catalog: Catalog;
  readonly store: RunStore & AccountStore & Pick<IdentityStore, "listWorkspaces"> & Committer;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly newId: () => string;
  /** True: the wallet gate is off (a person alone who wants no wallet). */
  readonly unlimited: boolean;
  readonly logger: Logger;
  /** Called with every run that ended, after its end is durable. */
  readonly onFinished?: (run: RunRecord) => void;
}

export function createRunService(parts: RunServiceParts): RunService {
  const { catalog, store, clock, logger } = parts;
  const live = new Map<string, LiveRun>();
  const queue = createRunQueue();
  const driver = createRunDriver({
    ...parts,
    queue,
    concurrencyOf: (run) => concurrencyOf(catalog.find(run.provider, run.endpoint)),
    onEnded(run) {
      live.delete(run.runId);
      parts.onFinished?.(run);
    },
  });
  /** Runs whose first line is on its way to the disk. */
  const beginning = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const closed = new AbortController();
  // Every caller who waits listens to it; that is no leak.
  setMaxListeners(0, closed.signal);

  async function begin(caller: WorkspaceCaller, admitted: AdmittedRun): Promise<LiveRun> {
    const { entry } = admitted;
    const place = queue.tryEnter(entry.provider.provider, concurrencyOf(entry));
    const born = accept(newRun(caller, admitted, place));
    try {
      await store.commit({ line: born.line, guards: guardsOf(caller, admitted) });
    } catch (error) {
      place?.release();
      if (error instanceof GuardFailed && error.guard.kind === "balance") {
        throw await tooLittleInWallet(caller, admitted);
      }
      throw error;
    }
    const started = driver.drive(born.run, born.effect, place);
    live.set(born.run.runId, started);
    return started;
  }

  /** The last gates, which must hold at the very moment the line is taken. A run that costs nothing needs no balance. */
  function guardsOf({ workspaceId, key }: WorkspaceCaller, { maximumMicroDollars }: AdmittedRun): Guard[] {
    const payable = parts.unlimited || maximumMicroDollars === 0;
    return [
      ...(key === undefined ? [] : [{ kind: "keyActive", keyId: key.keyId } as const]),
      ...(payable
        ? []
        : [{ kind: "balance", account: balanceAccount(workspaceId), atLeast: maximumMicroDollars } as const]),
    ];
  }

  function newRun(caller: WorkspaceCaller, admitted: AdmittedRun, place: Place | undefined): RunRecord {
    const { entry } = admitted;
    const at = isoNow(clock);
    return {
      runId: parts.newId(),
      workspaceId: caller.workspaceId,
      caller: caller.actor,
      owner: caller.userId,
      ...(caller.key !== undefined && { keyLabel: caller.key.label }),
      provider: entry.provider.provider,
      providerName: entry.provider.displayName,
      endpoint: entry.path,
      manifestHash: entry.provider.manifestHash,
      mode: entry.async === undefined ? "sync" : "async",
      status: place === undefined ? "READY" : "RUNNING",
      input: admitted.input,
      price: entry.price,
      priceWithoutMarkup: entry.priceWithoutMarkup,
      overrun: entry.overrun,
      heldMicroDollars: admitted.maximumMicroDollars,
      ...(admitted.maxCostMicroDollars !== undefined && { maxCostMicroDollars: admitted.maxCostMicroDollars }),
      ...(admitted.tags !== undefined && { tags: { ...admitted.tags } }),
      deadlineMs: admitted.deadlineMs,
      repeatable: entry.idempotent || entry.request.idempotency !== undefined,
      createdAt: at,
      ...(place !== undefined && { startedAt: at }),
      attempts: [],
      output: null,
      resultCount: null,
      notes: [],
    };
  }

  async function tooLittleInWallet(caller: WorkspaceCaller, admitted: AdmittedRun): Promise<ApiError> {
    const [balance = 0] = await store.readAccounts([balanceAccount(caller.workspaceId)]);
    const needed = admitted.maximumMicroDollars;
    const missingDollars = Math.ceil((needed - balance) / 1_000_000);
    // The first workspace is the operator's own, which the command means when it names none.
    const [, ...others] = await store.listWorkspaces();
    const own = others.find(({ workspaceId }) => workspaceId === caller.workspaceId);
    const whose = own === undefined ? "" : ` --workspace ${own.slug}`;
    const next = `mkt wallet credit ${Math.max(10, missingDollars)}${whose}`;
    return new ApiError(
      "insufficientFunds",
      `The wallet has ${formatDollars(microDollars(balance))} and this run may cost up to ` +
        `${formatDollars(microDollars(needed))}. Nothing was called or held. ` +
        `The operator credits it with: ${next}`,
      { errorCode: "WALLET_INSUFFICIENT_FUNDS", extra: { next } },
    );
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

  const notFound = (runId: string) => new ApiError("notFound", `Run ${runId} not found`);

  return {
    async start(caller, request, { waitSeconds, signal }) {
      const admitted = await admit(catalog, request);
      if (closing !== undefined) throw shuttingDown();
      const beginningNow = begin(caller, admitted);
      beginning.add(beginningNow);
      const running = await beginningNow.finally(() => beginning.delete(beginningNow));
      if (running.current().mode === "async") {
        await waitForEnd(running, waitSeconds, signal);
        return running.current();
      }
      await Promise.race([running.ended, ...(signal === undefined ? [] : [aborted(signal)])]);
      const run = running.current();
      if (isTerminal(run)) return run;
      throw new ApiError("unavailable", `What became of run ${run.runId} could not be recorded; read it again later`, {
        extra: { runId: run.runId },
      });
    },

    async get(caller, runId, { waitSeconds = 0, signal } = {}) {
      const found = await store.findRun(caller.workspaceId, runId);
      if (found === undefined) throw notFound(runId);
      const running = live.get(runId);
      if (running === undefined || isTerminal(found)) return found;
      await waitForEnd(running, waitSeconds, signal);
      return running.current();
    },

    async list(caller, filter, page) {
      return await store.listRuns(caller.workspaceId, filter, page);
    },

    async stop(caller, runId) {
      const found = await store.findRun(caller.workspaceId, runId);
      if (found === undefined) throw notFound(runId);
      const running = live.get(runId);
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
      for (const run of open) live.set(run.runId, driver.resume(run));
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

function concurrencyOf(entry: CatalogEntry | undefined): number {
  return entry?.http.rateLimit?.concurrency ?? DEFAULT_CONCURRENCY;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function shuttingDown(): ApiError {
  return new ApiError("unavailable", "The daemon is shutting down; try again in a moment", { retryAfterSeconds: 2 });
}

function cannotStop(run: RunRecord): ApiError {
  const why = isTerminal(run)
    ? `it is ${run.status}`
    : run.status === "STOPPING"
      ? "a stop is already under way"
      : "its endpoint answers at once and has no job to stop";
  return new ApiError("conflict", `Run ${run.runId} cannot be stopped: ${why}`);
}
