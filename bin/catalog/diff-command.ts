import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { end } from "../offline-command.ts";

export function diffCommand(context: CliContext): Command {
  return new Command("diff")
    .summary("Show what differs between two provider files, or folders")
    .description("Show what differs for callers between two provider files, or two catalog folders")
    .argument("<old>", "a manifest, or a folder of them")
    .argument("<new>", "the same, as it is now")
    .examples(
      "mkt catalog diff skywatch.before.yaml skywatch.yaml",
      "mkt catalog diff ./catalog-of-may ./catalog --json",
    )
    .addHelpText("after", "\nExit code 0: no change that breaks callers; 1: breaking changes (marked with !).")
    .action(async (before: string, after: string) => {
      const { diffCatalogs, renderCatalogDiff } = await import("../../daemon/catalog-review/catalog-diff.ts");
      const diff = await diffCatalogs(before, after);
      await context.output.report(diff, renderCatalogDiff(diff));
      end(context, diff.exitCode);
    });
}
