import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { listPages } from "../lists/list-pages.ts";
import { listRuns } from "./list-runs.ts";
import { parseSeconds } from "../flags/option-values.ts";
import { type PagingFlags, withPaging } from "../flags/paging-flags.ts";
import { type RunFilterFlags, withRunFilters } from "./run-filter-flags.ts";
import { exportRunsCommand } from "./export-runs-command.ts";
import { showRun } from "./get-run-command.ts";
import { defaultWaitSeconds } from "../run/run-command.ts";
import { stopCommand } from "./stop-command.ts";

export function runsCommand(context: CliContext): Command {
  return new Command("runs")
    .description("Your runs: list, wait, stop, export, and the controls that applied")
    .examples("mkt runs --limit 5", "mkt runs export -o runs.csv")
    .addCommand(listRunsCommand(context), { isDefault: true })
    .addCommand(waitCommand(context))
    .addCommand(exportRunsCommand(context))
    .addCommand(stopCommand(context))
    .addCommand(runControlsCommand(context));
}

function listRunsCommand(context: CliContext): Command {
  return withPaging(withRunFilters(new Command("list")))
    .description("List runs, newest first (what `mkt runs` alone does)")
    .examples(
      "mkt runs --status FAILED --limit 20 --json",
      "mkt runs --since yesterday --all --fields runId,endpoint,cost.value",
    )
    .action((flags: RunFilterFlags & PagingFlags) => listRuns(context, flags));
}

function waitCommand(context: CliContext): Command {
  return new Command("wait")
    .description("Wait until a run has ended, then show it")
    .argument("<runId>")
    .option("--wait-seconds <n>", "maximum time to wait", parseSeconds, defaultWaitSeconds)
    .examples("mkt runs wait 01JV8Z… --wait-seconds 60")
    .action((runId: string, flags: { waitSeconds: number }) => showRun(context, runId, flags.waitSeconds));
}

function runControlsCommand(context: CliContext): Command {
  return withPaging(new Command("controls"))
    .description("Show which budgets and run caps applied to a run")
    .argument("<runId>")
    .examples("mkt runs controls 01JV8Z…")
    .action(async (runId: string, paging: PagingFlags) => {
      context.suggest(404, "mkt runs");
      const client = await context.client();
      await listPages(
        context,
        paging,
        (query) => client.listRunControls({ params: { runId }, query }),
        async () => (await import("./RunControls.tsx")).RunControls,
      );
    });
}
