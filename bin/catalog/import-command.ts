import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { refusedInput } from "../../cli/core/cli-error.ts";
import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { exitCodes } from "../../cli/core/exit-codes.ts";
import { collect, parseCount, parseFilled, parseSeconds } from "../../cli/flags/option-values.ts";
import type { DocumentImporter } from "../../daemon/import/steps/import-steps.ts";
import { end, ownCatalogDir } from "../offline-command.ts";
import { accessOf, importWorkerFile } from "./import-access.ts";

interface ImportFlags {
  readonly out?: string;
  readonly slug?: string;
  readonly includeTag?: readonly string[];
  readonly include?: readonly string[];
  readonly allOperations?: boolean;
  readonly price?: number;
  readonly baseUrl?: string;
  readonly mcp?: boolean;
  readonly authEnv?: string;
  readonly dryRun?: boolean;
  readonly allowPrivateHost?: readonly string[];
  readonly timeLimit: number;
  readonly memoryLimit: number;
}

export function importCommand(context: CliContext, bundledCatalogDir: string): Command {
  return new Command("import")
    .summary("Write provider files from OpenAPI documents and MCP servers")
    .description("Write provider files from OpenAPI documents and MCP servers; keeps your edits")
    .argument("<sources...>", "files, URLs, and folders (every document below them)")
    .option("--out <dir>", "folder to write to (default: your catalog)", parseFilled)
    .option("--slug <slug>", "name of the provider (default: the title)")
    .option("--include-tag <tag>", "only operations with this tag (repeatable)", collect)
    .option("--include <operation>", 'only this operationId or "GET /path" (repeatable)', collect)
    .option("--all-operations", "all operations of a document, not just 50")
    .option("--price <dollars>", "price of a call, if the document names none", parsePrice)
    .option("--base-url <url>", "address of the API, if the document lacks it")
    .option("--mcp", "the sources are URLs of MCP servers")
    .option("--auth-env <name>", "variable with a token for the MCP server")
    .option("--dry-run", "write nothing, show what would be written")
    .option("--allow-private-host <host[:port]>", "private address to allow (repeatable)", collect)
    .option("--time-limit <seconds>", "give up a document after this time", parseSeconds, 60)
    .option("--memory-limit <megabytes>", "give up a document above this memory", parseCount, 512)
    .examples(
      "mkt catalog import ./openapi.yaml --price 0.01",
      "mkt catalog import https://api.example.com/openapi.json --include-tag search",
      "mkt catalog import https://tools.example.com/mcp --mcp",
    )
    .action(async (named: string[], flags: ImportFlags) => {
      await importSources(context, named, flags, bundledCatalogDir);
    });
}

async function importSources(
  context: CliContext,
  named: readonly string[],
  flags: ImportFlags,
  bundledDir: string,
): Promise<void> {
  const choices = choicesOf(flags);
  const { WorkerImporter } = await import("../../daemon/import/worker-importer.ts");
  const limits = { timeoutMs: flags.timeLimit * 1_000, memoryMegabytes: flags.memoryLimit };
  const importer = new WorkerImporter(importWorkerFile, limits);
  try {
    // It gets ready on another processor while the rest is loaded here.
    importer.start();
    await importWith(importer, { context, named, flags, choices, bundledDir });
  } finally {
    await importer.close();
  }
}

interface ImportCall {
  readonly context: CliContext;
  readonly named: readonly string[];
  readonly flags: ImportFlags;
  readonly choices: ReturnType<typeof choicesOf>;
  readonly bundledDir: string;
}

async function importWith(
  importer: DocumentImporter,
  { context, named, flags, choices, bundledDir }: ImportCall,
): Promise<void> {
  const [{ importCatalog }, { renderImportReport }, { ImportRefused }] = await Promise.all([
    import("../../daemon/import/import-catalog.ts"),
    import("../../daemon/import/render-import-report.ts"),
    import("../../daemon/import/conversion/imported-provider.ts"),
  ]);
  const progress = context.output.progress("reading");
  const startedAt = performance.now();
  const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) =>
    progress.update(drawBar(done, total, performance.now() - startedAt));
  try {
    const request = {
      named,
      out: flags.out === undefined ? ownCatalogDir(context) : resolve(flags.out),
      choices,
      mcp: flags.mcp ?? false,
      dryRun: flags.dryRun ?? false,
      access: await accessOf(context, flags),
      today: new Date().toISOString().slice(0, 10),
    };
    const report = await importCatalog(request, { importer, bundledDir, onProgress }).finally(() => progress.stop());
    const toCommand = (...words: readonly string[]) => context.output.command(...words);
    await context.output.report(report, renderImportReport(report, toCommand));
    end(context, report.imported > 0 ? exitCodes.delivered : exitCodes.refused);
  } catch (error) {
    if (error instanceof ImportRefused) throw refusedInput(error.message);
    throw error;
  }
}

function choicesOf({ slug, includeTag, include, allOperations, price, baseUrl }: ImportFlags) {
  return {
    ...(slug !== undefined && { slug: checkSlug(slug) }),
    ...(includeTag !== undefined && { includeTags: includeTag }),
    ...(include !== undefined && { includeOperations: include }),
    ...(allOperations === true && { allOperations }),
    ...(price !== undefined && { priceUsd: price }),
    ...(baseUrl !== undefined && { baseUrl: checkAddress(baseUrl) }),
  };
}

function checkSlug(slug: string): string {
  if (slug.length <= 60 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)) return slug;
  throw refusedInput(
    `--slug takes lower-case letters, digits and single hyphens, at most 60 characters; got "${slug}".`,
  );
}

function checkAddress(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw refusedInput(`--base-url takes an address such as https://api.example.com, got "${text}".`);
}

function parsePrice(text: string): number {
  const price = Number(text.replace(/^\$/, ""));
  if (text.trim() !== "" && Number.isFinite(price) && price >= 0) return price;
  throw new InvalidArgumentError("It must be an amount in dollars, 0 or more, such as 0.01.");
}

const BAR_WIDTH = 20;

function drawBar(done: number, total: number, elapsedMs: number): string {
  const filled = total === 0 ? 0 : Math.round((done / total) * BAR_WIDTH);
  const rate = elapsedMs === 0 ? 0 : (done / elapsedMs) * 1_000;
  const shownRate = rate >= 10 ? rate.toFixed(0) : rate.toFixed(1);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${done}/${total} documents, ${shownRate}/s`;
}
