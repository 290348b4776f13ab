import { ulid } from "ulid";
import type { Client } from "../../shared/client/client.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { interruptedWhileWaiting } from "./await-run.ts";
import { CliError } from "../cli-error.ts";
import type { CliContext } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { mayHaveArrived, runUnderWay } from "./failed-start.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { Interrupted } from "./interrupt.ts";
import { isTerminal, runAnswer, type AnyRun } from "./run-outcome.ts";

/**
 * Sends a run with an idempotency key, a new one unless one is given, and returns the run as the service gave it, finished
 * or not. A key whose run is under way gives that run. When the answer does not come in time, or Ctrl-C comes first, the
 * service is asked once more with the same key, which makes no second run, for the run as it stands: the caller may then
 * wait for it, or say how. A call that was cut off is not repeated: the error says where to look, and with which key to
 * try again. CLI rules 4 and 5.
 */
export async function startRun(
  context: CliContext,
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
    const gaveUp = signal.aborted && error === signal.reason;
    const run = gaveUp ? await askAgain(client, request, key) : undefined;
    if (run === undefined) throw explain(error, signal, options.waitSeconds, key);
    if (error instanceof Interrupted && !isTerminal(run)) throw interruptedWhileWaiting(context, run.runId);
    return run;
  } finally {
    release();
  }
}

const askAgainMs = 2_000;

/** The run of a call that was given up; undefined when the service says nothing of it. */
async function askAgain(client: Client, request: RunRequest, key: string): Promise<AnyRun | undefined> {
  const { signal, release } = linkSignals([], askAgainMs);
  try {
    return await runAnswer(client.startRun({ body: request }, { ...idempotent(key), signal }));
  } catch (error) {
    const runId = runUnderWay(error);
    return runId === undefined
      ? undefined
      : await client.getRun({ params: { runId } }, { signal }).catch(() => undefined);
  } finally {
    release();
  }
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
  if (mayHaveArrived(error)) {
    const message = `${error.message}. Whether the run was made is not known. ${again}`;
    return new CliError(exitCodes.unreachable, message, { next, cause: error });
  }
  return error;
}
