import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../shared/client/client.ts";
import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import { errorText } from "../../shared/error-text.ts";
import { CliError } from "../core/cli-error.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { mayHaveArrived } from "../run/failed-start.ts";
import type { AnyRun } from "../run/run-outcome.ts";
import { NoAnswer, sendRun, type Sending } from "../run/send-run.ts";

export type RunOnce = Pick<Sending, "request" | "key" | "waitSeconds" | "signal">;

const tries = 4;
const firstPauseMs = 250;
/** A run that has an answer under way is told at once. */
const lookSeconds = 5;
const shortestWaitSeconds = 2;

/**
 * Makes a run, whatever happens to the connection: a call that was cut off, or got no answer in time, is sent again
 * with the same key, which makes no second run but returns the first. Rejects, naming the key, when the outcome stays
 * unknown.
 */
export async function startRunOnce(connect: () => Promise<Client>, once: RunOnce): Promise<AnyRun> {
  let waitSeconds = Math.max(once.waitSeconds, shortestWaitSeconds);
  let mayHaveRun = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendRun(connect, { ...once, waitSeconds });
    } catch (error) {
      if (once.signal.aborted) throw once.signal.reason;
      const isUnknown = mayHaveArrived(error) || error instanceof NoAnswer || isInFlight(error);
      mayHaveRun ||= isUnknown;
      const isLast = attempt === tries || !(isUnknown || error instanceof UnreachableError);
      if (isLast) throw mayHaveRun ? outcomeUnknown(once.key, error) : error;
      if (error instanceof NoAnswer) waitSeconds = lookSeconds;
      else await delay(firstPauseMs * 2 ** (attempt - 1), undefined, { signal: once.signal });
    }
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
    `${why}. It is unknown whether the run was made. Called again with "idempotencyKey": "${key}" it makes no second run; ` +
      `list_runs shows the runs that there are.`,
    { cause },
  );
}
