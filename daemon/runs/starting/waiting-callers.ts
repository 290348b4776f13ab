import type { WorkspaceId } from "../../base/ids.ts";
import { setMaxListeners } from "node:events";
import { ApiError } from "../../../shared/errors.ts";
import { linkSignals } from "../../../shared/linked-signal.ts";
import { rateLimitHeaders } from "../../http/limits/rate-limits.ts";
import type { LiveRun } from "../work/live-run.ts";

/**
 * For all workspaces together; that many waiting requests take about 40 MB. A request without `wait` is always
 * answered.
 */
const MAX_WAITING = 2_000;
/** For one workspace, so that others can wait too. */
const MAX_WAITING_OF_WORKSPACE = 1_000;
const RETRY_SECONDS = 2;

/** Callers who wait for a run to end, their own or an equal one. Each one's connection and request take memory while it waits. */
export class WaitingCallers {
  readonly #byWorkspace = new Map<string, number>();
  #all = 0;
  readonly #closed = new AbortController();

  constructor() {
    // Every waiting caller adds a listener; that is not a leak.
    setMaxListeners(0, this.#closed.signal);
  }

  /** Returns the result of `work` and counts its caller as waiting meanwhile. Throws 429 if too many wait already. */
  async whileWaiting<Result>(
    workspaceId: WorkspaceId,
    waitSeconds: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (waitSeconds <= 0) return await work();
    const leave = this.#enter(workspaceId);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves when the run has ended, the time is over, the caller has gone, or after `close`. */
  async untilEnd(run: LiveRun, waitSeconds: number, signal: AbortSignal | undefined): Promise<void> {
    if (waitSeconds <= 0) return;
    const closed = this.#closed.signal;
    const enough = linkSignals(signal === undefined ? [closed] : [closed, signal], waitSeconds * 1_000);
    try {
      await endedOrAborted(run, enough.signal);
    } finally {
      enough.release();
    }
  }

  /**
   * Returns the result of `work`, whose caller counts as waiting once it has to; `work` should end when its signal does.
   * Throws 429 if too many wait already.
   */
  async forEqualRun<Result>(
    workspaceId: WorkspaceId,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const leave = this.#enter(workspaceId);
    const closed = this.#closed.signal;
    const enough = linkSignals(signal === undefined ? [closed] : [closed, signal]);
    try {
      return await work(enough.signal);
    } finally {
      enough.release();
      leave();
    }
  }

  /** Ends every wait. */
  close(): void {
    this.#closed.abort();
  }

  /** Counts a waiting caller; the returned function ends that. */
  #enter(workspaceId: WorkspaceId): () => void {
    const own = this.#byWorkspace.get(workspaceId) ?? 0;
    if (this.#all >= MAX_WAITING || own >= MAX_WAITING_OF_WORKSPACE) throw tooMany(own >= MAX_WAITING_OF_WORKSPACE);
    this.#all += 1;
    this.#byWorkspace.set(workspaceId, own + 1);
    return () => {
      this.#all -= 1;
      const left = (this.#byWorkspace.get(workspaceId) ?? 1) - 1;
      if (left === 0) this.#byWorkspace.delete(workspaceId);
      else this.#byWorkspace.set(workspaceId, left);
    };
  }
}

/** Resolves when the run has ended, or the signal is aborted. */
export async function endedOrAborted(run: LiveRun, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await run.ended;
    return;
  }
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      signal.removeEventListener("abort", end);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    void run.ended.then(end);
  });
}

function tooMany(isOwn: boolean): ApiError {
  const limit = isOwn ? MAX_WAITING_OF_WORKSPACE : MAX_WAITING;
  const who = isOwn ? "of this workspace " : "";
  return new ApiError(
    "rateLimited",
    `${limit} requests ${who}wait for runs to end already; ask without \`wait\`. Retry after ${RETRY_SECONDS}s.`,
    {
      retryAfterSeconds: RETRY_SECONDS,
      headers: rateLimitHeaders({
        rule: isOwn ? "waiting-workspace" : "waiting",
        limit,
        remaining: 0,
        resetSeconds: RETRY_SECONDS,
      }),
    },
  );
}
