import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { end, ownCatalogDir } from "../offline-command.ts";
import { bundledFolders } from "./bundled-folders.ts";

interface CheckFlags {
  readonly strict?: boolean;
  readonly all?: boolean;
}

export function checkCommand(context: CliContext, bundledCatalogDir: string): Command {
  return new Command("check")
    .summary("Check provider files for mistakes, and show how to fix them")
    .description("Check provider files, without a daemon: what is wrong, where, and how to fix it")
    .argument("[paths...]", "files or folders (default: the catalog folder of the configuration)")
    .option("--strict", "treat hints at possible improvements as problems")
    .option("--all", "show all, not only the first twenty of each rule")
    .examples("mkt catalog check skywatch.yaml", "mkt catalog check ./my-providers --json")
    .action(async (paths: string[], { strict = false, all = false }: CheckFlags) => {
      const [{ checkCatalog }, { renderCatalogCheck }] = await Promise.all([
        import("../../daemon/catalog-review/catalog-check.ts"),
        import("../../daemon/catalog-review/render-catalog-check.ts"),
      ]);
      const named = {
        paths,
        defaults: [{ dir: ownCatalogDir(context), replacesBundled: true }],
        ...bundledFolders(bundledCatalogDir),
      };
      const report = await checkCatalog(named, { strict });
      await context.output.report(report, renderCatalogCheck(report, { all }));
      end(context, report.exitCode);
    });
}
