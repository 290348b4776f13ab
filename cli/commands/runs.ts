import { Command } from "commander";
import type { RunStatus } from "../../shared/contract/runs.ts";
import type { CliContext } from "../context.ts";
import { parseCount, parseSeconds } from "../option-values.ts";
import { shellLine } from "../shell-line.ts";
import { showRun } from "./get-run.ts";
import { defaultWaitSeconds } from "./run.ts";
import { stopCommand } from "./stop.ts";

interface RunsFlags {
  limit?: number;
  cursor?: string;
  status?: string;
  provider?: string;
  endpoint?: string;
  since?: string;
  until?: string;
  tag?: string;
  keyLabel?: string;
}

export function runsCommand(context: CliContext): Command {
  return new Command("runs")
    .description("Your runs: list, wait, stop")
    .addCommand(listRunsCommand(context), { isDefault: true })
    .addCommand(waitCommand(context))
    .addCommand(stopCommand(context));
}

function listRunsCommand(context: CliContext): Command {
  return new Command("list")
    .description("List runs, newest first (what `mkt runs` alone does)")
    .option("--limit <n>", "at most so many, up to 100", parseCount)
    .option("--cursor <cursor>", "go on after the page before")
    .option("--status <list>", "only with these statuses, such as FAILED,TIMED_OUT")
    .option("--provider <slug>", "only of this provider")
    .option("--endpoint <path>", "only of this endpoint")
    .option("--since <time>", "only created at or after")
    .option("--until <time>", "only created before")
    .option("--tag <name:value>", "only with this tag")
    .option("--key-label <label>", "only made with this key")
    .addHelpText("after", "\nExample:\n  mkt runs --status FAILED --limit 20 --json")
    .action(async (flags: RunsFlags) => {
      const client = await context.client();
      const { status, since, until, ...filters } = flags;
      const page = await client.listRuns({
        query: {
          ...filters,
          // Whether a status exists is for the service to say: its list may be longer than ours.
          ...(status !== undefined && { status: status.split(",") as RunStatus[] }),
          ...(since !== undefined && { since: toInstant(since) }),
          ...(until !== undefined && { until: toInstant(until) }),
        },
      });
      await context.output.list(page, page.items, async () => (await import("../views/RunList.tsx")).RunList);
      await context.noteNextPage(page.cursor);
    });
}

function waitCommand(context: CliContext): Command {
  return new Command("wait")
    .description("Wait until a run has ended, then show it")
    .argument("<runId>")
    .option("--wait-seconds <n>", "wait at most so long", parseSeconds, defaultWaitSeconds)
    .addHelpText("after", `\nExample:\n  ${shellLine("mkt", "runs", "wait")} 01JV8Z…`)
    .action((runId: string, flags: { waitSeconds: number }) => showRun(context, runId, flags.waitSeconds));
}

/** `2025-03-01` is taken as its midnight in UTC; all else is the service's to judge. */
function toInstant(time: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(time) ? `${time}T00:00:00Z` : time;
}
