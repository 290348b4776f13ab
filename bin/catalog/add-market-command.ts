import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { refusedInput } from "../../cli/core/cli-error.ts";
import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { exitCodes } from "../../cli/core/exit-codes.ts";
import { collect, parseFilled } from "../../cli/flags/option-values.ts";
import type { AddMarketReport } from "../../daemon/import/add-market.ts";
import type { ToCommand } from "../../daemon/import/render-import-report.ts";
import { end, ownCatalogDir } from "../offline-command.ts";
import { accessOf, importWorkerFile } from "./import-access.ts";

interface AddMarketFlags {
  readonly keyEnv?: string;
  readonly markup?: number;
  readonly prefix?: string;
  readonly provider?: readonly string[];
  readonly through?: boolean;
  readonly out?: string;
  readonly dryRun?: boolean;
  readonly allowPrivateHost?: readonly string[];
}

export function addMarketCommand(context: CliContext, bundledCatalogDir: string): Command {
  return new Command("add-market")
    .summary("Take over the providers of another market")
    .description(
      "Take over the providers of another market: a daemon of mkt, or another service with the same interface.\n" +
        "Typed again, it refreshes them and keeps your edits.",
    )
    .argument("<address>", "of the market, such as https://data.example.org/mkt")
    .option("--key-env <name>", "variable with a key of the market; the name, never the key, is written")
    .option("--markup <percent>", "what callers pay on top, in percent", parsePercent)
    .option("--prefix <word>", "before every slug (default: from the name of the host)")
    .option("--provider <slug>", "only this provider of the market (repeatable)", collect)
    .option("--through", "also what the market has from other markets")
    .option("--out <dir>", "folder to write to (default: your catalog)", parseFilled)
    .option("--dry-run", "write nothing, show what would be written")
    .option("--allow-private-host <host[:port]>", "private address to allow (repeatable)", collect)
    .examples(
      "mkt catalog add-market https://data.example.org/mkt --key-env TEAM_KEY",
      "mkt catalog add-market https://data.example.org/mkt --key-env TEAM_KEY --markup 10% --prefix team",
    )
    .action(async (address: string, flags: AddMarketFlags) => {
      await add(context, { address, flags, bundledDir: bundledCatalogDir });
    });
}

async function add(
  context: CliContext,
  {
    address,
    flags,
    bundledDir,
  }: { readonly address: string; readonly flags: AddMarketFlags; readonly bundledDir: string },
): Promise<void> {
  const [{ addMarket }, { WORKER_LIMITS, WorkerImporter }, { renderImportReport }, { ImportRefused }] =
    await Promise.all([
      import("../../daemon/import/add-market.ts"),
      import("../../daemon/import/worker-importer.ts"),
      import("../../daemon/import/render-import-report.ts"),
      import("../../daemon/import/conversion/imported-provider.ts"),
    ]);
  const importer = new WorkerImporter(importWorkerFile, WORKER_LIMITS);
  const progress = context.output.progress("reading");
  const { keyEnv, allowPrivateHost, markup, prefix } = flags;
  try {
    const request = {
      address,
      out: flags.out === undefined ? ownCatalogDir(context) : resolve(flags.out),
      providers: flags.provider ?? [],
      isThrough: flags.through ?? false,
      dryRun: flags.dryRun ?? false,
      today: new Date().toISOString().slice(0, 10),
      access: await accessOf(context, {
        ...(keyEnv !== undefined && { authEnv: keyEnv }),
        ...(allowPrivateHost !== undefined && { allowPrivateHost }),
      }),
      ...(markup !== undefined && { markupPercent: markup }),
      ...(prefix !== undefined && { prefix: checkPrefix(prefix) }),
    };
    const report = await addMarket(request, { importer, bundledDir }).finally(() => progress.stop());
    const toCommand = (...words: readonly string[]) => context.output.command(...words);
    await context.output.report(report, `${renderImportReport(report, toCommand)}${renderRest(report, toCommand)}`);
    end(context, report.imported > 0 ? exitCodes.delivered : exitCodes.refused);
  } catch (error) {
    if (error instanceof ImportRefused) throw refusedInput(error.message);
    throw error;
  } finally {
    await importer.close();
  }
}

function renderRest({ market, leftOut, gone, documents }: AddMarketReport, toCommand: ToCommand): string {
  const asking = documents.flatMap(({ provider, summary }) => (summary?.needsGrant === true ? (provider ?? []) : []));
  const lines = [
    ...(asking.length > 1 ? [`All at once: ${toCommand("catalog", "grant", ...asking)}`] : []),
    ...(leftOut > 0 ? [`${leftOut} endpoints make or release resources and can only be run at ${market} itself.`] : []),
    ...gone.map((slug) => `${slug} is no longer listed by the market; its file stays until you remove it.`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function checkPrefix(prefix: string): string {
  if (prefix.length <= 25 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(prefix)) return prefix;
  throw refusedInput(`--prefix takes lower-case letters, digits and single hyphens, at most 25; got "${prefix}".`);
}

function parsePercent(text: string): number {
  const percent = Number(text.replace(/%$/, ""));
  if (/^\d+(\.\d+)?%?$/.test(text) && percent <= 10_000) return percent;
  throw new InvalidArgumentError("It must be a percentage from 0 to 10000, such as 10%.");
}
