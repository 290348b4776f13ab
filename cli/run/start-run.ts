import type { Client } from "../../shared/client/client.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { interruptedWhileWaiting } from "./await-run.ts";
import { CliError } from "../core/cli-error.ts";
import { busyNote } from "../command/busy-note.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { mayHaveArrived } from "./failed-start.ts";
import { Interrupted } from "../core/interrupt.ts";
import { isTerminal, type AnyRun } from "./run-outcome.ts";
import { NoAnswer, sendRun, type Sending } from "./send-run.ts";
import { newId } from "../core/new-id.ts";

/** How long a service that has not answered is waited for when it is asked for the run once more. */
const askAgainSeconds = 2;

/**
 * Sends a run with an idempotency key, a new one unless one is given, and returns the run as the service gave it, finished
 * or not. The request is repeated while the service is overloaded (429 or 503 with Retry-After), within the time that is
 * waited for. A key whose run is under way returns that run. When the answer does not come in time, or Ctrl-C comes first, the
 * service is asked once more with the same key, which makes no second run, for the run as it stands: the caller may then
 * wait for it, or say how. A call that was cut off is not repeated: the error says where to look, and with which key to
 * try again. docs/command-line.md, "Waiting" and "Paid calls".
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
  const key = options.idempotencyKey ?? newId();
  const connect = () => Promise.resolve(client);
  const sending: Sending = {
    request,
    key,
    waitSeconds: options.waitSeconds,
    signal: options.signal,
    onHeaders(headers) {
      if (headers["idempotent-replayed"] === "true") options.onReplayed?.();
    },
    onBusy: busyNote(context),
  };
  try {
    return await sendRun(connect, sending);
  } catch (error) {
    const run = error instanceof NoAnswer || error instanceof Interrupted ? await askAgain(client, sending) : undefined;
    if (run === undefined) throw explain(error, key);
    if (error instanceof Interrupted && !isTerminal(run)) throw interruptedWhileWaiting(context, run.runId);
    return run;
  }
}

/** The run of a call that was given up; undefined when the service says nothing of it. */
async function askAgain(client: Client, { request, key }: Sending): Promise<AnyRun | undefined> {
  const { signal } = new AbortController();
  const again = { request, key, waitSeconds: askAgainSeconds, signal };
  return await sendRun(() => Promise.resolve(client), again).catch(() => undefined);
}

function explain(error: unknown, key: string): unknown {
  const next = "mkt runs";
  const again = `To retry without a second run, use --idempotency-key ${key}.`;
  if (error instanceof Interrupted) {
    const message = `Stopped waiting before the service answered; the run may continue. ${again}`;
    return new CliError(exitCodes.interrupted, message, { next });
  }
  if (error instanceof NoAnswer) {
    return new CliError(exitCodes.waitingTimedOut, `${error.message}; the run may continue. ${again}`, { next });
  }
  if (mayHaveArrived(error)) {
    const message = `${error.message}. It is unknown whether the run was made. ${again}`;
    return new CliError(exitCodes.unreachable, message, { next, cause: error });
  }
  return error;
}
