import { awaitRun } from "../run/await-run.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { parseSeconds } from "../flags/option-values.ts";
import { reportRun } from "../run/report-run.ts";
import { defaultWaitSeconds } from "../run/run-command.ts";

interface GetRunFlags {
  wait?: true;
  waitSeconds?: number;
}

export function getRunCommand(context: CliContext): Command {
  return new Command("get-run")
    .alias("getRun")
    .description("Show a run; with --wait, wait until it has ended")
    .argument("<runId>")
    .option("--wait", "wait until the run has ended")
    .option("--wait-seconds <n>", `maximum time to wait (default ${defaultWaitSeconds})`, parseSeconds)
    .examples("mkt get-run 01JV8Z… --wait", "mkt get-run 01JV8Z… --jq .output -o output.json")
    .action(async (runId: string, flags: GetRunFlags) => {
      const waits = flags.wait === true || flags.waitSeconds !== undefined;
      await showRun(context, runId, waits ? (flags.waitSeconds ?? defaultWaitSeconds) : undefined);
    });
}

/** Prints a run as it is, or after waiting for it. */
export async function showRun(context: CliContext, runId: string, waitSeconds: number | undefined): Promise<void> {
  context.suggest(404, "mkt runs");
  const client = await context.client();
  const run =
    waitSeconds === undefined
      ? await client.getRun({ params: { runId } })
      : await awaitRun(context, client, runId, waitSeconds);
  await reportRun(context, run, {
    waited: waitSeconds !== undefined,
    view: async () => (await import("./RunDetail.tsx")).RunDetail,
  });
}
