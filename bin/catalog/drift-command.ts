import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { refusedInput } from "../../cli/core/cli-error.ts";
import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { collect } from "../../cli/flags/option-values.ts";
import { end, ownCatalogDir } from "../offline-command.ts";
import { accessOf, importWorkerFile } from "./import-access.ts";

interface DriftFlags {
  readonly dir?: string;
  readonly authEnv?: string;
  readonly allowPrivateHost?: readonly string[];
}

export function driftCommand(context: CliContext): Command {
  return new Command("drift")
    .summary("Show whether imported documents have changed")
    .description("Read again the documents that providers were imported from, and show what has changed")
    .argument("[providers...]", "slugs (default: every imported provider)")
    .option("--dir <dir>", "catalog folder (default: that of the configuration)")
    .option("--auth-env <name>", "variable with a token for the MCP server of the one named provider")
    .option(
      "--allow-private-host <host[:port]>",
      "private address to allow (repeatable; MKT_ALLOW_PRIVATE_HOSTS)",
      collect,
    )
    .examples("mkt catalog drift", "mkt catalog drift petshop --json")
    .addHelpText(
      "after",
      "\nExit code 0: no changes; 1: changes, or a document could not be read. To apply changes: mkt catalog import.",
    )
    .action(async (providers: string[], flags: DriftFlags) => {
      const [{ findDrift, renderDrift }, { WORKER_LIMITS, WorkerImporter }, { ImportRefused }] = await Promise.all([
        import("../../daemon/import/catalog-drift.ts"),
        import("../../daemon/import/worker-importer.ts"),
        import("../../daemon/import/conversion/imported-provider.ts"),
      ]);
      const importer = new WorkerImporter(importWorkerFile, WORKER_LIMITS);
      try {
        const dir = flags.dir === undefined ? ownCatalogDir(context) : await namedFolder(flags.dir);
        const report = await findDrift({ dir, providers, access: await accessOf(context, flags) }, importer);
        await context.output.report(report, renderDrift(report));
        end(context, report.exitCode);
      } catch (error) {
        if (error instanceof ImportRefused) throw refusedInput(error.message);
        throw error;
      } finally {
        await importer.close();
      }
    });
}

async function namedFolder(dir: string): Promise<string> {
  const facts = await stat(dir).catch(() => undefined);
  if (facts?.isDirectory() === true) return resolve(dir);
  throw refusedInput(`There is no folder ${dir}.`);
}
