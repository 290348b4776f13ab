import { ulid } from "ulid";
import type { Client } from "../shared/client/client.ts";
import { ServiceError, UnreachableError } from "../shared/client/service-error.ts";
import type { RunRequest } from "../shared/contract/runs.ts";
import { linkSignals } from "../shared/linked-signal.ts";
import { CliError } from "./cli-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { idempotent } from "./idempotency-key.ts";
import { Interrupted } from "./interrupt.ts";
import { runAnswer, type AnyRun } from "./run-outcome.ts";

/**
 * Sends a run with an idempotency key, a new one unless one is given, and returns the run as the service gave it, finished
 * or not. A key whose run is under way gives that run. A call whose outcome is not known (cut off, given up, interrupted)
 * is never repeated: the error says where to look, and with which key to try again. CLI rule 5.
 */
export async function startRun(
  client: Client,
  request: RunRequest,
  options: {
    waitSeconds: number;
    signal: AbortSignal;
    idempotencyKey?: string | undefined;
    /** Called when the answer is that of an earlier call with the same key. */
    onReplayed?: () => void;
  },
): Promise<AnyRun> {
  const key = options.idempotencyKey ?? ulid();
  const { signal, release } = linkSignals([options.signal], options.waitSeconds * 1000);
  try {
    const onHeaders = (headers: Record<string, string>) => {
      if (headers["idempotent-replayed"] === "true") options.onReplayed?.();
    };
    return await runAnswer(client.startRun({ body: request }, { ...idempotent(key), signal, onHeaders }));
  } catch (error) {
    const runId = runUnderWay(error);
    if (runId !== undefined) return await client.getRun({ params: { runId } }, { signal });
    throw explain(error, signal, options.waitSeconds, key);
  } finally {
    release();
  }
}

/** The run whose answer an earlier call with the same key still waits for. */
function runUnderWay(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.status !== 409) return undefined;
  const { body } = error;
  return typeof body === "object" && body !== null && "runId" in body && typeof body.runId === "string"
    ? body.runId
    : undefined;
}

function explain(error: unknown, signal: AbortSignal, waitSeconds: number, key: string): unknown {
  const next = "mkt runs";
  const again = `Sent again with --idempotency-key ${key} it makes no second run.`;
  if (error instanceof Interrupted) {
    const message = `Stopped waiting before the service had answered; the run may go on. ${again}`;
    return new CliError(exitCodes.interrupted, message, { next });
  }
  if (signal.aborted && error === signal.reason) {
    const message = `The service did not answer within ${waitSeconds} seconds; the run may go on. ${again}`;
    return new CliError(exitCodes.waitingTimedOut, message, { next });
  }
  if (error instanceof UnreachableError && mayHaveArrived(error.cause)) {
    const message = `${error.message}. Whether the run was made is not known. ${again}`;
    return new CliError(exitCodes.unreachable, message, { next, cause: error });
  }
  return error;
}

const neverSent: readonly string[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

function mayHaveArrived(cause: unknown): boolean {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code !== "string" || !neverSent.includes(code);
}
