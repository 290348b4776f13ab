import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../shared/client/client.ts";
import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import type { Run } from "../../shared/contract/runs.ts";
import { retryAfterMs } from "../connection/retry-after.ts";
import { errorCodeIn, needsAPerson } from "../core/error-code.ts";
import { isTerminal } from "./run-outcome.ts";

export interface WaitOptions {
  waitSeconds: number;
  /** The longest that one answer may be held back by the service; shorter where somebody watches. */
  holdSeconds: number;
  /** Ends the waiting; its reason is thrown. */
  signal: AbortSignal;
  onAnswer?: (run: Run) => void;
  /** How long a service that stopped answering may be away; 10 s unless given. */
  absenceMs?: number;
}

const firstDelayMs = 250;
const longestDelayMs = 5_000;
/** How long a service that stopped answering may be away, as it is while it restarts, before the waiting ends. */
const usualAbsenceMs = 10_000;

/**
 * Asks for a run until it is terminal or the time is over, and returns it as last seen. The service is asked to hold its
 * answer back; one that does not is asked again after 0.25 s growing to 5 s. Reading is harmless, so a lost connection,
 * 429 and 503 are tried again, what only a person can mend is not; a service away for longer rejects with what it last
 * gave. docs/command-line.md, "Waiting".
 */
export async function waitForRun(client: Client, runId: string, options: WaitOptions): Promise<Run> {
  const { absenceMs = usualAbsenceMs } = options;
  const deadline = performance.now() + options.waitSeconds * 1000;
  let delayMs = firstDelayMs;
  let absentSince: number | undefined;
  let lastSeen: Run | undefined;
  for (;;) {
    const askedAt = performance.now();
    const remainingSeconds = Math.max(0, (deadline - askedAt) / 1000);
    const hold = Math.min(options.holdSeconds, roundUp(remainingSeconds));
    let pauseMs = 0;
    try {
      const run = await client.getRun({ params: { runId }, query: { wait: hold } }, { signal: options.signal });
      if (absentSince !== undefined) delayMs = firstDelayMs;
      absentSince = undefined;
      lastSeen = run;
      options.onAnswer?.(run);
      if (isTerminal(run)) return run;
      const wasHeldBack = performance.now() - askedAt >= hold * 900;
      if (!wasHeldBack || hold === 0) pauseMs = delayMs;
    } catch (error) {
      const toldMs = retryAfterMs(error);
      // A service that says when to come again is not away.
      absentSince = toldMs === undefined ? (absentSince ?? askedAt) : undefined;
      if (!isWorthAnotherTry(error)) throw error;
      if (absentSince !== undefined && performance.now() - absentSince > absenceMs) throw error;
      if (toldMs !== undefined && lastSeen === undefined && askedAt >= deadline) throw error;
      pauseMs = toldMs ?? delayMs;
    }
    const leftMs = deadline - performance.now();
    if (leftMs <= 0 && lastSeen) return lastSeen;
    if (pauseMs > 0) {
      await delay(Math.min(pauseMs, Math.max(leftMs, firstDelayMs)), undefined, { signal: options.signal }).catch(
        () => {
          throw options.signal.reason;
        },
      );
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    }
  }
}

function roundUp(seconds: number): number {
  return Math.ceil(seconds * 10) / 10;
}

function isWorthAnotherTry(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  if (!(error instanceof ServiceError) || needsAPerson(errorCodeIn(error.body))) return false;
  return error.status === 429 || error.status === 503;
}
