import type { Client } from "../../shared/client/client.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { retryWhenBusy } from "../connection/retry-when-busy.ts";
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
  /** Called before each pause that an overloaded service asks for. */
  readonly onBusy?: ((error: unknown) => Promise<void>) | undefined;
}

/** No answer came in the time that was waited for: the run may have been made. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/**
 * Sends a run and returns it as the service answered it, finished or not. Repeats the request while the service is
 * overloaded: it has run nothing then, or knows the key. A key whose run is under way returns that run. `connect` is called
 * for each try. Throws NoAnswer.
 */
export async function sendRun(connect: () => Promise<Client>, sending: Sending): Promise<AnyRun> {
  const withinMs = sending.waitSeconds * 1000;
  const { signal, release } = linkSignals([sending.signal], withinMs);
  try {
    const send = async () => await sendOnce(await connect(), sending, signal);
    return await retryWhenBusy(send, { withinMs, signal, onBusy: sending.onBusy });
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
