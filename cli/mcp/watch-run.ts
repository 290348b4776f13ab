import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import { CliError } from "../core/cli-error.ts";
import { costSoFar } from "../run/cost-so-far.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { isTerminal, type AnyRun } from "../run/run-outcome.ts";
import { targetWords } from "../words/target.ts";
import { waitForRun } from "../run/wait.ts";
import { progressWords } from "../run/progress-words.ts";
import type { ToolCall } from "./tool.ts";

/** Answers that are not held back long bring news of the provider's progress; where nobody watches, none is needed. */
const watchedHoldSeconds = 3;
const unwatchedHoldSeconds = 20;

/**
 * Waits for a run and reports its progress; returns it as last seen. Cancelling the call ends the waiting but not the
 * run, which may be paid for already; the caller is told so.
 */
export async function watchRun(runId: string, waitSeconds: number, call: ToolCall): Promise<AnyRun> {
  const { signal, isWatched, report, log, connect } = call;
  call.report(`Run ${runId} is under way`);
  const onAbort = () =>
    log(`The waiting ended; run ${runId} goes on. To stop it: stop_run ${JSON.stringify({ runId })}`);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await waitForRun(await connect(), runId, {
      waitSeconds,
      holdSeconds: isWatched ? watchedHoldSeconds : unwatchedHoldSeconds,
      signal,
      onAnswer: (run) => report(stateWords(run)),
    });
  } catch (error) {
    throw isLost(error) ? lostRun(error, runId) : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function isLost(error: unknown): error is Error {
  return error instanceof UnreachableError || (error instanceof ServiceError && error.status >= 429);
}

/** Names the run that was waited for: it exists, and may be paid for. */
function lostRun(error: Error, runId: string): CliError {
  const again = `get_run ${JSON.stringify({ runId, waitSeconds: 60 })}`;
  const message = `${error.message}, while waiting for run ${runId}, which was made. Do not run it again; call ${again}`;
  return new CliError(exitCodes.unreachable, message, { cause: error });
}

function stateWords(run: AnyRun): string {
  const cost = costSoFar(run, Date.now());
  return [
    `${run.status} ${targetWords(run)}`,
    ...(run.progress === undefined || isTerminal(run) ? [] : [String(progressWords(run))]),
    ...(cost === undefined ? [] : [`${dollars(cost)} so far`]),
    `run ${run.runId}`,
  ].join(" · ");
}
