import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { WorkerImporter } from "../../daemon/import/worker-importer.ts";
import { refusedInput, usageError } from "../../cli/core/cli-error.ts";
import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { collect, parseFilled } from "../../cli/flags/option-values.ts";
import { confirm } from "../../cli/input/confirm.ts";
import { end, ownCatalogDir } from "../offline-command.ts";
import { accessOf, importWorkerFile } from "./import-access.ts";

interface DriftFlags {
  readonly dir?: string;
  readonly authEnv?: string;
  readonly accept?: boolean;
  readonly allowPrivateHost?: readonly string[];
}

export function driftCommand(context: CliContext): Command {
  return new Command("drift")
    .summary("Show whether imported documents have changed")
    .description("Read again the documents that providers were imported from, and show what has changed")
    .argument("[providers...]", "slugs (default: every imported provider)")
    .option("--dir <dir>", "catalog folder (default: that of the configuration)", parseFilled)
    .option("--auth-env <name>", "variable with a token for the MCP server or market of that provider")
    .option("--accept", "accept what changed at the MCP server or market of that provider")
    .option(
      "--allow-private-host <host[:port]>",
      "private address to allow (repeatable; MKT_ALLOW_PRIVATE_HOSTS)",
      collect,
    )
    .examples("mkt catalog drift", "mkt catalog drift petshop --json", "mkt catalog drift tools --accept")
    .addHelpText(
      "after",
      "\nExit code 0: no changes; 1: changes, or a document could not be read. To apply changes: mkt catalog import.\n" +
        "Tools of MCP servers that changed or are gone are off until they are accepted.",
    )
    .action(async (providers: string[], flags: DriftFlags) => {
      const [{ WORKER_LIMITS, WorkerImporter }, { ImportRefused }] = await Promise.all([
        import("../../daemon/import/worker-importer.ts"),
        import("../../daemon/import/conversion/imported-provider.ts"),
      ]);
      const importer = new WorkerImporter(importWorkerFile, WORKER_LIMITS);
      try {
        await showDrift(context, providers, flags, importer);
      } catch (error) {
        if (error instanceof ImportRefused) throw refusedInput(error.message);
        throw error;
      } finally {
        await importer.close();
      }
    });
}

async function showDrift(
  context: CliContext,
  providers: readonly string[],
  flags: DriftFlags,
  importer: WorkerImporter,
): Promise<void> {
  const [{ findDrift }, { renderDrift }, { readGrants }] = await Promise.all([
    import("../../daemon/import/catalog-drift.ts"),
    import("../../daemon/import/drift-report.ts"),
    import("../../daemon/offline/open-operator-catalog.ts"),
  ]);
  const dir = flags.dir === undefined ? ownCatalogDir(context) : await namedFolder(flags.dir);
  if (flags.accept === true && providers.length !== 1) {
    throw usageError("--accept is for one provider: name the one whose changes you have looked at.");
  }
  const today = new Date().toISOString().slice(0, 10);
  const access = await accessOf(context, flags);
  const grants = (await readGrants(context.places.dataDir)).list();
  const { report, accept } = await findDrift(
    { dir, providers, access, today, environment: context.io.env, grants },
    importer,
  );
  const toCommand = (...words: readonly string[]) => context.output.command(...words);
  await context.output.report(report, renderDrift(report, toCommand));
  if (flags.accept !== true) return end(context, report.exitCode);
  const [provider] = report.providers;
  if (accept === undefined) {
    if (provider?.state !== "changed") return end(context, report.exitCode);
    throw refusedInput("--accept is for MCP servers and markets. To apply other changes: mkt catalog import.");
  }
  await confirm(context, `Accept this for ${provider?.provider}?`, { needsYes: true });
  await accept();
  await context.output.note(`${provider?.provider} is now as its server describes it.`);
}

async function namedFolder(dir: string): Promise<string> {
  const facts = await stat(dir).catch(() => undefined);
  if (facts?.isDirectory() === true) return resolve(dir);
  throw refusedInput(`There is no folder ${dir}.`);
}
