import { setTimeout as delay } from "node:timers/promises";
import { ulid } from "ulid";
import type { Client } from "../../shared/client/client.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { errorText } from "../../shared/error-text.ts";
import { interruptedWhileWaiting } from "./await-run.ts";
import { CliError } from "../core/cli-error.ts";
import { retryAfterMs } from "../connection/retry-after.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { mayHaveArrived, runUnderWay } from "./failed-start.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { Interrupted } from "../core/interrupt.ts";
import { isTerminal, runAnswer, type AnyRun } from "./run-outcome.ts";

/**
 * Sends a run with an idempotency key, a new one unless one is given, and returns the run as the service gave it, finished
 * or not. A service with too much to do (429 or 503 with Retry-After) is asked again when it says, within the time that is
 * waited for. A key whose run is under way gives that run. When the answer does not come in time, or Ctrl-C comes first, the
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
  const key = options.idempotencyKey ?? ulid();
  const startedMs = performance.now();
  const { signal, release } = linkSignals([options.signal], options.waitSeconds * 1000);
  try {
    const onHeaders = (headers: Record<string, string>) => {
      if (headers["idempotent-replayed"] === "true") options.onReplayed?.();
    };
    return await untilTaken(context, startedMs + options.waitSeconds * 1000, signal, async () =>
      runAnswer(client.startRun({ body: request }, { ...idempotent(key), signal, onHeaders })),
    );
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

/**
 * Sends it again, as often as a service with too much to do says when, until the time is over: it has run nothing then, and
 * knows the key of what it may have run. Rejects with what it last answered where the next try would come too late.
 */
async function untilTaken<Answer>(
  context: CliContext,
  deadlineMs: number,
  signal: AbortSignal,
  send: () => Promise<Answer>,
): Promise<Answer> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await send();
    } catch (error) {
      const pauseMs = retryAfterMs(error);
      if (pauseMs === undefined || performance.now() + pauseMs >= deadlineMs) throw error;
      if (!isTold) await context.output.note(`${messageOf(error)} Trying again by itself.`);
      await delay(pauseMs, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
  }
}

function messageOf(error: unknown): string {
  const message = errorText(error);
  return message.endsWith(".") ? message : `${message}.`;
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
