import { setFlagsFromString } from "node:v8";
import type { Client } from "../../shared/client/client.ts";
import { formatDollars, parseDollars } from "../../shared/micro-dollars.ts";
import { busyNote } from "../command/busy-note.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { interruptible } from "../core/interrupt.ts";
import {
  collect,
  collectPairs,
  parseAmount,
  parseCount,
  parseDeadline,
  parseMaxAge,
  parseSeconds,
} from "../flags/option-values.ts";
import { defaultWaitSeconds } from "../run/run-command.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { parseTarget, type Target, targetWords } from "../words/target.ts";
import { type BatchFlags, checkFlags, formatOf, parseFormat } from "./batch-flags.ts";
import type { BatchRecord } from "./batch-record.ts";
import { type Batch, findRecord, outputPath, resumeLine } from "./find-record.ts";
import { type BatchSource, planBatch } from "./plan-batch.ts";
import { confirmPrice, priceBatch, type PricedBatch } from "./price-batch.ts";
import { noteBlankLines, noteQuote, reportBatch, showQuote, type Unwritten } from "./report-batch.ts";
import { checkResultsPlace, openResults, type ResultsPlace } from "./results/open-results.ts";
import type { Results } from "./results/results.ts";
import { CollectedResults } from "./results/stdout-results.ts";
import { inspectLine, parseColumnMap } from "./row-input.ts";
import { type BatchStanding, runBatch } from "./run-batch.ts";
import { spoolRows } from "./spool-rows.ts";

/** What V8 does as it is, in a command that ends with it or before. */
const USUAL_MEMORY = "--no-optimize-for-size";
const SPARING_MEMORY = "--optimize-for-size";

export function batchCommand(context: CliContext): Command {
  return new Command("batch")
    .description("Run an endpoint for each row of a file, each row once")
    .examples(
      "mkt batch atlas/countries countries.csv --map country=search -o found.csv",
      "mkt batch atlas/countries countries.csv --map country=search --dry-run",
    )
    .argument("<endpoint>")
    .argument("<rows>", "a .csv or .jsonl file, or - for standard input")
    .argument("[input...]", "key=value, or key:=json, for every row")
    .option("--map <column=field>", "take this column as this input (repeatable); others are no input then", collect)
    .option("--concurrency <n>", "how many rows run at the same time", parseCount, 8)
    .option("--max-total <dollars>", "what all rows together may cost", parseAmount)
    .option("--max-cost <dollars>", "refuse a row that could cost more", parseAmount)
    .option("--max-pages <n>", "read at most this many pages of a row's list", parseCount)
    .option("--tag <name=value>", "label the runs (repeatable)", collectPairs)
    .option("--deadline-seconds <n>", "stop a row's run after this time", parseDeadline)
    .option(
      "--max-age <age>",
      "take answers of earlier runs for nothing, if they are at most this old: 1h",
      parseMaxAge,
    )
    .option("--allow-uncertain-repeats", "of a route: go on also where a member may have been executed")
    .option("--wait-seconds <n>", "maximum time to wait for a row", parseSeconds, defaultWaitSeconds)
    .option("--format <format>", "csv or jsonl, for standard input", parseFormat)
    .option("--table <name>", "of -o x.sqlite: the table; of -o x.xlsx: the sheet")
    .option("--resume", "continue an interrupted batch: rows that were charged are not charged again")
    .option("--dry-run", "run nothing: show what it would cost")
    .action(async (endpoint: string, rows: string, words: string[], flags: BatchFlags) => {
      await withLessMemory(() => batch(context, { endpoint, rows, words }, flags));
    });
}

interface BatchWords {
  readonly endpoint: string;
  readonly rows: string;
  readonly words: readonly string[];
}

async function batch(context: CliContext, given: BatchWords, flags: BatchFlags): Promise<void> {
  checkFlags(context, flags);
  context.output.leaveFile();
  const { target } = parseTarget([given.endpoint]);
  context.suggest(400, inspectLine(target));
  context.suggest(404, shellLine("mkt", "endpoints", "--provider", target.provider));
  await using spooled = await spoolRows(given.rows, context.io.stdin);
  const path = spooled?.path ?? given.rows;
  const read = await readBatch(context, { target, path, isPiped: spooled !== undefined, given, flags });
  await noteBlankLines(context, read);
  const record = await findRecord(context, read);
  const place: ResultsPlace = {
    path: context.flags.output,
    batchId: record.batchId,
    isContinued: record.hasWrittenTo(outputPath(context, flags)),
    table: flags.table,
    isOneValue: context.flags.json === true,
    columns: read.plan.columns,
    rows: read.plan.rows,
  };
  if (!flags.dryRun) await checkResultsPlace(place);
  const priced = await priceBatch(context, read, record);
  const { source, plan } = read;
  const quoted = { endpoint: targetWords(source.endpoint), plan, quote: priced.quote, name: source.name };
  if (flags.dryRun) return await showQuote(context, quoted);
  await noteQuote(context, quoted);
  await confirmPrice(context, priced, record, flags);
  await record.keep({
    prices: priced.prices,
    output: outputPath(context, flags),
    checkPlace: () => checkResultsPlace(place),
  });
  await runRows(context, read, { record, priced, results: await openResults(place, context.output) });
}

interface Reading {
  readonly target: Target;
  readonly path: string;
  readonly isPiped: boolean;
  readonly given: BatchWords;
  readonly flags: BatchFlags;
}

/** Reads the endpoint, and the whole file once. */
async function readBatch(context: CliContext, { target, path, isPiped, given, flags }: Reading): Promise<Batch> {
  const names = parseColumnMap(flags.map);
  const format = formatOf(given.rows, flags);
  const client: Client = await context.client({ autostart: true, manyRequests: true });
  const endpoint = await client.inspectEndpoint({ body: target });
  const name = given.rows === "-" ? "standard input" : given.rows;
  const source: BatchSource = { endpoint, path, isPiped, name, format, columns: { names, constants: given.words } };
  return { client, source, plan: await planBatch(source), flags };
}

interface ReadyBatch {
  readonly record: BatchRecord;
  readonly priced: PricedBatch;
  readonly results: Results;
}

async function runRows(context: CliContext, read: Batch, { record, priced, results }: ReadyBatch): Promise<void> {
  const { client, source, plan, flags } = read;
  const progress = context.output.progress("Running the rows");
  let standing: BatchStanding;
  let unwritten: Unwritten | undefined;
  try {
    standing = await interruptible(context.io, (signal) =>
      runBatch({
        client,
        batchId: record.batchId,
        source,
        plan,
        results,
        passes: priced.passes,
        maxCost: flags.maxCost && parseDollars(flags.maxCost.value),
        maxTotal: flags.maxTotal && parseDollars(flags.maxTotal.value),
        concurrency: flags.concurrency,
        waitSeconds: flags.waitSeconds,
        signal,
        onBusy: busyNote(context),
        onGoingOn: (sentAtMs) => record.leaveUnrecorded(sentAtMs),
        onProgress: ({ done, rows, spent }) => progress.update(`${done} of ${rows} rows · ${formatDollars(spent)}`),
      }),
    );
  } finally {
    progress.stop();
    unwritten = await closed(results);
  }
  if (standing.done === standing.rows && unwritten === undefined) await record.forget();
  await reportBatch(context, standing, {
    batchId: record.batchId,
    resume: resumeLine(context, standing.enough),
    isPiped: source.isPiped,
    unwritten,
    items: results instanceof CollectedResults ? results.items : undefined,
  });
}

/** What is known of the rows is told also where the results cannot be finished, as on a full disk. */
async function closed(results: Results): Promise<Unwritten | undefined> {
  try {
    await results.close();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/**
 * While this works, memory is collected rather than asked for: a batch makes much that lives shortly, for which V8 would
 * take as much again, and its process waits for the service anyhow. docs/performance.md, "Batches".
 */
async function withLessMemory(work: () => Promise<void>): Promise<void> {
  setFlagsFromString(SPARING_MEMORY);
  try {
    await work();
  } finally {
    setFlagsFromString(USUAL_MEMORY);
  }
}
