import type { Client } from "../shared/client/client.ts";
import { UnreachableError } from "../shared/client/service-error.ts";
import { CliError } from "./cli-error.ts";
import type { CliContext } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { Interrupted, interruptible } from "./interrupt.ts";
import { dollars } from "./money-words.ts";
import type { Progress } from "./progress.ts";
import type { AnyRun } from "./run-outcome.ts";
import { waitForRun } from "./wait.ts";

const watchedHoldSeconds = 3;
const unwatchedHoldSeconds = 30;

/**
 * Waits for a run and returns it as last seen. Ctrl-C and a lost service reject with the commands that resume and stop
 * the run.
 */
export async function awaitRun(
  context: CliContext,
  client: Client,
  runId: string,
  waitSeconds: number,
): Promise<AnyRun> {
  const progress = context.output.progress(`Waiting for run ${runId}`);
  try {
    return await interruptible(context.io, (signal) =>
      waitForRun(client, runId, {
        waitSeconds,
        // Held back less long where somebody watches: every answer brings news of the provider's progress.
        holdSeconds: context.output.isWatched ? watchedHoldSeconds : unwatchedHoldSeconds,
        signal,
        onAnswer: (run) => showProgress(progress, run),
      }),
    );
  } catch (error) {
    throw explain(error, context, runId);
  } finally {
    progress.stop();
  }
}

function showProgress(progress: Progress, run: AnyRun): void {
  const words = [`${run.status} ${run.provider}${run.endpoint}`];
  if (typeof run.progress === "number")
    words.push(`${Math.round(run.progress < 1 ? run.progress * 100 : run.progress)} %`);
  if (typeof run.progress === "string") words.push(run.progress);
  if (run.cost) words.push(dollars(run.cost.value));
  progress.update(words.join(" · "));
}

function explain(error: unknown, { output }: CliContext, runId: string): unknown {
  const next = output.command("get-run", runId, "--wait");
  if (error instanceof Interrupted) {
    const message = `Stopped waiting for run ${runId}, which goes on. To stop it: ${output.command("stop", runId)}`;
    return new CliError(exitCodes.interrupted, message, { next });
  }
  if (error instanceof UnreachableError) {
    const message = `${error.message}, while waiting for run ${runId}.`;
    return new CliError(exitCodes.unreachable, message, { next, cause: error });
  }
  return error;
}
