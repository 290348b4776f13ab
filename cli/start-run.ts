import { ulid } from "ulid";
import type { Client } from "../shared/client/client.ts";
import { UnreachableError } from "../shared/client/service-error.ts";
import type { RunRequest } from "../shared/contract/runs.ts";
import { linkSignals } from "../shared/linked-signal.ts";
import { CliError } from "./cli-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { Interrupted } from "./interrupt.ts";
import { runAnswer, type AnyRun } from "./run-outcome.ts";

/**
 * Sends a run with an idempotency key of its own and returns it as the service gave it, finished or not. A call whose
 * outcome is not known (cut off, given up, interrupted) is never repeated: the error says where to look. CLI rule 5.
 */
export async function startRun(
  client: Client,
  request: RunRequest,
  options: { waitSeconds: number; signal: AbortSignal },
): Promise<AnyRun> {
  const { signal, release } = linkSignals([options.signal], options.waitSeconds * 1000);
  try {
    const headers = { "idempotency-key": ulid() };
    return await runAnswer(client.startRun({ body: request }, { headers, signal }));
  } catch (error) {
    throw explain(error, signal, options.waitSeconds);
  } finally {
    release();
  }
}

function explain(error: unknown, signal: AbortSignal, waitSeconds: number): unknown {
  const next = "mkt runs";
  if (error instanceof Interrupted) {
    return new CliError(exitCodes.interrupted, "Stopped waiting before the service had answered; the run may go on.", {
      next,
    });
  }
  if (signal.aborted && error === signal.reason) {
    const message = `The service did not answer within ${waitSeconds} seconds; the run may go on.`;
    return new CliError(exitCodes.waitingTimedOut, message, { next });
  }
  if (error instanceof UnreachableError && mayHaveArrived(error.cause)) {
    const message = `${error.message}. Whether the run was made is not known: look before you run it again.`;
    return new CliError(exitCodes.unreachable, message, { next, cause: error });
  }
  return error;
}

const neverSent: readonly string[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

function mayHaveArrived(cause: unknown): boolean {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code !== "string" || !neverSent.includes(code);
}
