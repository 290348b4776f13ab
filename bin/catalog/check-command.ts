import { join } from "node:path";
import { Command } from "commander";
import type { CliContext } from "../../cli/context.ts";
import { sanitizeText, toSafeJson } from "../../cli/sanitize.ts";
import { end, placesOf } from "../offline-command.ts";

export function checkCommand(context: CliContext, bundledCatalogDir: string): Command {
  return new Command("check")
    .description("Check provider files without a daemon: what is wrong, where, and how to mend it")
    .argument("[paths...]", "files or folders; without any, the catalog folder of the configuration")
    .addHelpText("after", "\nExamples:\n  mkt catalog check skywatch.yaml\n  mkt catalog check ./my-providers --json")
    .action(async (paths: string[]) => {
      const { checkCatalog, renderCatalogCheck } = await import("../../daemon/operator/catalog-check.ts");
      const places = placesOf(context);
      const report = await checkCatalog({
        paths,
        defaults: [{ dir: join(places.configDir, "catalog"), bundled: false, trusted: false }],
        bundledDir: bundledCatalogDir,
      });
      process.stdout.write(
        context.flags.json === true ? `${toSafeJson(report)}\n` : sanitizeText(renderCatalogCheck(report)),
      );
      end(context, report.exitCode);
    });
}
