import type { Client } from "../../shared/client/client.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { isAwaitingApproval } from "../core/exit-codes.ts";
import { approvalWords } from "./approval-words.ts";
import { awaitRun } from "./await-run.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { parseIdempotencyKey } from "../flags/idempotency-key.ts";
import { monotonicMs } from "../core/monotonic.ts";
import { interruptible } from "../core/interrupt.ts";
import { parseSeconds } from "../flags/option-values.ts";
import { reportRun } from "./report-run.ts";
import { isTerminal } from "./run-outcome.ts";
import { readRunRequest, type RunRequestFlags, withRunRequest } from "./run-request.ts";
import { startRun } from "./start-run.ts";
import { targetWords } from "../words/target.ts";
import { quote } from "./quote-command.ts";

/** How long `run` and `get-run --wait` wait where no flag says it. */
export const defaultWaitSeconds = 300;

interface RunFlags extends RunRequestFlags {
  idempotencyKey?: string;
  waitSeconds: number;
  wait: boolean;
  dryRun?: true;
}

export function runCommand(context: CliContext): Command {
  return withRunRequest(new Command("run"))
    .description("Run an endpoint and wait for its data")
    .examples("mkt run atlas/countries search=Portugal locale=fr")
    .option("--idempotency-key <key>", "make the run only once, even if sent again", parseIdempotencyKey)
    .option("--wait-seconds <n>", "maximum time to wait", parseSeconds, defaultWaitSeconds)
    .option("--no-wait", "do not wait for the run to end")
    .option("--dry-run", "run nothing: show what the run would cost")
    .action(async (endpoint: string, words: string[], flags: RunFlags) => {
      if (flags.dryRun) return quote(context, endpoint, words, flags);
      const { client, request } = await readRunRequest(context, endpoint, words, flags);
      const sentAt = monotonicMs();
      const started = await sendRun(context, client, request, flags);
      const waits = flags.wait && !isTerminal(started);
      if (waits && isAwaitingApproval(started)) await context.output.note(approvalWords(started, context.output));
      const leftSeconds = Math.max(0, flags.waitSeconds - (monotonicMs() - sentAt) / 1000);
      const run = waits ? await awaitRun(context, client, started.runId, leftSeconds) : started;
      await reportRun(context, run, {
        waited: flags.wait,
        view: async () => (await import("./RunResult.tsx")).RunResult,
      });
    });
}

async function sendRun(context: CliContext, client: Client, request: RunRequest, flags: RunFlags) {
  const progress = context.output.progress(`Running ${targetWords(request)}`);
  const { idempotencyKey } = flags;
  let isReplayed = false;
  const onReplayed = () => void (isReplayed = true);
  try {
    // Given up sooner, the service would not even know of the run.
    const waitSeconds = Math.max(flags.waitSeconds, 1);
    return await interruptible(context.io, (signal) =>
      startRun(context, client, request, { waitSeconds, signal, idempotencyKey, onReplayed }),
    );
  } finally {
    progress.stop();
    if (isReplayed) await context.output.note("This run was made earlier with the same key: nothing was run again.");
  }
}
