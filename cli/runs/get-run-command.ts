import type { OutputPart } from "../../shared/contract/runs.ts";
import type { PartRequest } from "../../shared/output-part.ts";
import { awaitRun } from "../run/await-run.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { parseCount, parseOffset, parseSeconds } from "../flags/option-values.ts";
import { reportRun } from "../run/report-run.ts";
import { defaultWaitSeconds } from "../run/run-command.ts";

interface GetRunFlags {
  wait?: true;
  waitSeconds?: number;
  offset?: number;
  limit?: number;
}

export function getRunCommand(context: CliContext): Command {
  return new Command("get-run")
    .alias("getRun")
    .description("Show a run; with --wait, wait until it has ended")
    .argument("<runId>")
    .option("--wait", "wait until the run has ended")
    .option("--wait-seconds <n>", `maximum time to wait (default ${defaultWaitSeconds})`, parseSeconds)
    .option("--offset <n>", "leave out this many items (or characters) of a large output", parseOffset)
    .option("--limit <n>", "at most this many items (or characters) of it", parseCount)
    .examples("mkt get-run 01JV8Z… --wait", "mkt get-run 01JV8Z… --jq .output -o output.json")
    .action(async (runId: string, flags: GetRunFlags) => {
      const waits = flags.wait === true || flags.waitSeconds !== undefined;
      const { offset, limit } = flags;
      const part = offset === undefined && limit === undefined ? undefined : { offset, limit };
      await showRun(context, runId, waits ? (flags.waitSeconds ?? defaultWaitSeconds) : undefined, part);
    });
}

/** Prints a run as it is, or after waiting for it. */
export async function showRun(
  context: CliContext,
  runId: string,
  waitSeconds: number | undefined,
  part?: PartRequest,
): Promise<void> {
  context.suggest(404, "mkt runs");
  const client = await context.client();
  const waited = waitSeconds === undefined ? undefined : await awaitRun(context, client, runId, waitSeconds);
  const run =
    waited === undefined || part !== undefined
      ? await client.getRun({ params: { runId }, ...(part !== undefined && { query: askedPart(part) }) })
      : waited;
  await reportRun(context, run, {
    waited: waitSeconds !== undefined,
    view: async () => (await import("./RunDetail.tsx")).RunDetail,
  });
  if (run.part !== undefined) await context.output.note(partWords(run.part));
}

function askedPart({ offset, limit }: PartRequest): { offset?: number; limit?: number } {
  return { ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) };
}

function partWords({ of, unit, offset, count, total, next }: OutputPart): string {
  const range = count === 0 ? "nothing" : `${offset + 1} to ${offset + count}`;
  return `This is ${range} of the ${total} ${unit} of ${of}${next === undefined ? "" : `; what comes next: --offset ${next}`}.`;
}
