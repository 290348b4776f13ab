import { Command } from "commander";
import type { CliContext } from "../context.ts";
import { parseSeconds } from "../option-values.ts";
import { type PagingFlags, withPaging } from "../paging-flags.ts";
import { type RunFilterFlags, toRunFilters, withRunFilters } from "../run-filter-flags.ts";
import { shellLine } from "../shell-line.ts";
import { exportRunsCommand } from "./export-runs.ts";
import { showRun } from "./get-run.ts";
import { defaultWaitSeconds } from "./run.ts";
import { stopCommand } from "./stop.ts";

export function runsCommand(context: CliContext): Command {
  return new Command("runs")
    .description("Your runs: list, wait, stop, export")
    .addCommand(listRunsCommand(context), { isDefault: true })
    .addCommand(waitCommand(context))
    .addCommand(exportRunsCommand(context))
    .addCommand(stopCommand(context));
}

function listRunsCommand(context: CliContext): Command {
  return withPaging(withRunFilters(new Command("list")))
    .description("List runs, newest first (what `mkt runs` alone does)")
    .addHelpText("after", "\nExample:\n  mkt runs --status FAILED --limit 20 --json")
    .action(async (flags: RunFilterFlags & PagingFlags) => {
      const client = await context.client();
      const { limit, cursor, ...filters } = flags;
      const page = await client.listRuns({ query: { limit, cursor, ...toRunFilters(filters) } });
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
