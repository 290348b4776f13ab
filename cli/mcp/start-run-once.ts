import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../shared/client/client.ts";
import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { errorText } from "../../shared/error-text.ts";
import { CliError } from "../core/cli-error.ts";
import { retryAfterMs } from "../connection/retry-after.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { mayHaveArrived, runUnderWay } from "../run/failed-start.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { runAnswer, type AnyRun } from "../run/run-outcome.ts";

export interface RunOnce {
  readonly request: RunRequest;
  /** The same for every try, so that there is one run at most. docs/contract.md, "Idempotency". */
  readonly key: string;
  /** How long an answer is waited for. */
  readonly waitSeconds: number;
  readonly signal: AbortSignal;
}

const tries = 4;
const firstPauseMs = 250;
/** A run that has an answer under way is told at once. */
const lookSeconds = 5;
const shortestWaitSeconds = 2;

/**
 * Makes a run, whatever happens to the connection: a call that was cut off, or got no answer in time, is sent again with the
 * same key, which makes no second run but tells the first. So is one that the service had too much to do for, when it says.
 * `connect` is asked for each try. Rejects with the key in its
 * words when the outcome stays unknown.
 */
export async function startRunOnce(connect: () => Promise<Client>, once: RunOnce): Promise<AnyRun> {
  let waitSeconds = Math.max(once.waitSeconds, shortestWaitSeconds);
  const endMs = performance.now() + waitSeconds * 1000;
  let mayHaveRun = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(await connect(), once, waitSeconds);
    } catch (error) {
      if (once.signal.aborted) throw once.signal.reason;
      const pauseMs = retryAfterMs(error);
      if (pauseMs !== undefined && performance.now() + pauseMs < endMs) {
        // It has run nothing, or knows the key: this is no try that failed.
        attempt -= 1;
        await delay(pauseMs, undefined, { signal: once.signal });
        continue;
      }
      const isUnknown = mayHaveArrived(error) || error instanceof NoAnswer || isInFlight(error);
      mayHaveRun ||= isUnknown;
      const isLast = attempt === tries || !(isUnknown || error instanceof UnreachableError);
      if (isLast) throw mayHaveRun ? outcomeUnknown(once.key, error) : error;
      if (error instanceof NoAnswer) waitSeconds = lookSeconds;
      else await delay(firstPauseMs * 2 ** (attempt - 1), undefined, { signal: once.signal });
    }
  }
}

class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

async function send(client: Client, { request, key, signal }: RunOnce, waitSeconds: number): Promise<AnyRun> {
  const linked = linkSignals([signal], waitSeconds * 1000);
  try {
    return await runAnswer(client.startRun({ body: request }, { ...idempotent(key), signal: linked.signal }));
  } catch (error) {
    const runId = runUnderWay(error);
    if (runId !== undefined) return await client.getRun({ params: { runId } }, { signal: linked.signal });
    if (linked.signal.aborted && !signal.aborted) {
      throw new NoAnswer(`The service did not answer within ${waitSeconds} seconds`, { cause: error });
    }
    throw error;
  } finally {
    linked.release();
  }
}

/** The key is taken by a request whose run is not recorded yet. */
function isInFlight(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 409;
}

function outcomeUnknown(key: string, cause: unknown): CliError {
  const why = errorText(cause);
  return new CliError(
    exitCodes.unreachable,
    `${why}. Whether the run was made is not known. Called again with "idempotencyKey": "${key}" it makes no second run; ` +
      `list_runs shows the runs that there are.`,
    { cause },
  );
}
