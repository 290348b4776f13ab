import type { Client } from "../../shared/client/client.ts";
import { UnreachableError } from "../../shared/client/service-error.ts";
import { CliError } from "../core/cli-error.ts";
import type { CliContext } from "../command/context.ts";
import { costSoFar } from "./cost-so-far.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { Interrupted, interruptible } from "../core/interrupt.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { runPriceWords } from "../../shared/words/price-words.ts";
import type { Progress } from "../output/progress.ts";
import { progressWords } from "./progress-words.ts";
import type { AnyRun } from "./run-outcome.ts";
import { targetWords } from "../words/target.ts";
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
  const words = [`${run.status} ${targetWords(run)}`, progressWords(run), costWords(run)];
  progress.update(words.filter((part) => part !== undefined).join(" · "));
}

function costWords(run: AnyRun): string {
  const cost = costSoFar(run, Date.now());
  return cost === undefined ? runPriceWords(run.price, run) : `about ${dollars(cost)} so far`;
}

/** Ctrl-C while a run goes on: what to type to see how it ends, or to stop it. */
export function interruptedWhileWaiting({ output }: CliContext, runId: string): CliError {
  const message = `Stopped waiting for run ${runId}, which continues. To stop it: ${output.command("stop", runId)}`;
  return new CliError(exitCodes.interrupted, message, { next: output.command("get-run", runId, "--wait") });
}

function explain(error: unknown, context: CliContext, runId: string): unknown {
  const next = context.output.command("get-run", runId, "--wait");
  if (error instanceof Interrupted) return interruptedWhileWaiting(context, runId);
  if (error instanceof UnreachableError) {
    const message = `${error.message}, while waiting for run ${runId}.`;
    return new CliError(exitCodes.unreachable, message, { next, cause: error });
  }
  return error;
}
