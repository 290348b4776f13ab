import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../shared/client/client.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { retryAfterMs } from "../connection/retry-after.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { runUnderWay } from "./failed-start.ts";
import { runAnswer, type AnyRun } from "./run-outcome.ts";

export interface Sending {
  readonly request: RunRequest;
  /** The same whenever this run is sent: there is one run at most (docs/contract.md). */
  readonly key: string;
  /** How long an answer is waited for, with all pauses in between. */
  readonly waitSeconds: number;
  /** Ends the waiting; its reason is thrown. */
  readonly signal: AbortSignal;
  readonly onHeaders?: ((headers: Record<string, string>) => void) | undefined;
  /** Called before each pause that a service with too much to do asks for. */
  readonly onBusy?: ((error: unknown) => Promise<void>) | undefined;
}

/** No answer came in the time that was waited for: the run may have been made. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/**
 * Sends a run and gives it as the service gave it, finished or not. A service with too much to do (429 or 503 with
 * Retry-After) is asked again when it says: it has run nothing then, or knows the key. Where the next try would come too late,
 * rejects with what it last answered. A key whose run is under way gives that run. `connect` is asked for each try. Throws
 * NoAnswer.
 */
export async function sendRun(connect: () => Promise<Client>, sending: Sending): Promise<AnyRun> {
  const deadlineMs = performance.now() + sending.waitSeconds * 1000;
  const { signal, release } = linkSignals([sending.signal], sending.waitSeconds * 1000);
  try {
    for (;;) {
      try {
        return await sendOnce(await connect(), sending, signal);
      } catch (error) {
        const pauseMs = retryAfterMs(error);
        if (pauseMs === undefined || performance.now() + pauseMs >= deadlineMs) throw error;
        await sending.onBusy?.(error);
        await delay(pauseMs, undefined, { signal });
      }
    }
  } catch (error) {
    if (sending.signal.aborted) throw sending.signal.reason;
    if (!signal.aborted) throw error;
    throw new NoAnswer(`The service did not answer within ${sending.waitSeconds} seconds`, { cause: error });
  } finally {
    release();
  }
}

async function sendOnce(client: Client, { request, key, onHeaders }: Sending, signal: AbortSignal): Promise<AnyRun> {
  try {
    return await runAnswer(
      client.startRun({ body: request }, { ...idempotent(key), signal, ...(onHeaders && { onHeaders }) }),
    );
  } catch (error) {
    const runId = runUnderWay(error);
    if (runId === undefined) throw error;
    return await client.getRun({ params: { runId } }, { signal });
  }
}
