import { Option } from "commander";
import { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { type RunFilterFlags, toRunFilters, withRunFilters } from "../run-filter-flags.ts";

interface ExportFlags extends RunFilterFlags {
  format?: "csv" | "ndjson";
}

export function exportRunsCommand(context: CliContext): Command {
  return withRunFilters(new Command("export"))
    .description("Write all runs, newest first, as a table or as a JSON value a line")
    .addOption(
      new Option("--format <format>", "csv (what is taken without it), or ndjson (so with --json)").choices([
        "csv",
        "ndjson",
      ]),
    )
    .examples("mkt runs export --since 2026-01-01 -o runs.csv", "mkt runs export --format ndjson --status FAILED")
    .action(async ({ format = context.flags.json ? "ndjson" : "csv", ...filters }: ExportFlags) => {
      const client = await context.client();
      await context.output.stream(await client.stream("exportRuns", { query: { format, ...toRunFilters(filters) } }));
    });
}
