import { Command } from "commander";
import type { CliContext } from "../../cli/context.ts";
import { toSafeJson } from "../../cli/sanitize.ts";
import { end } from "../offline-command.ts";

export function diffCommand(context: CliContext): Command {
  return new Command("diff")
    .description("What differs for callers between two provider files, or two catalog folders")
    .argument("<old>", "a manifest, or a folder of them")
    .argument("<new>", "the same, as it is now")
    .addHelpText(
      "after",
      "\nExit code 0: nothing that breaks a caller; 1: something does (marked with !)." +
        "\n\nExamples:\n  mkt catalog diff skywatch.before.yaml skywatch.yaml\n  mkt catalog diff ./catalog-of-may ./catalog --json",
    )
    .action(async (before: string, after: string) => {
      const { diffCatalogs, renderCatalogDiff } = await import("../../daemon/operator/catalog-diff.ts");
      const diff = await diffCatalogs(before, after);
      await context.output.text(context.flags.json === true ? `${toSafeJson(diff)}\n` : renderCatalogDiff(diff));
      end(context, diff.exitCode);
    });
}
