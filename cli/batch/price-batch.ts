import type { RunRequest } from "../../shared/contract/runs.ts";
import { countWords } from "../../shared/count-words.ts";
import { formatDollars, type MicroDollars, microDollars, parseDollars, toMoney } from "../../shared/micro-dollars.ts";
import type { CliContext } from "../command/context.ts";
import { refusedInput } from "../core/cli-error.ts";
import { confirm } from "../input/confirm.ts";
import type { BatchFlags } from "./batch-flags.ts";
import type { BatchRecord } from "./batch-record.ts";
import type { Batch } from "./find-record.ts";
import type { PlannedRow } from "./plan-batch.ts";
import { type BatchQuote, quoteRows } from "./quote-rows.ts";

/** A batch with its price. */
export interface PricedBatch {
  readonly quote: BatchQuote;
  /** Where all rows cost the same: what a row could cost at most, now and when the batch was interrupted. */
  readonly maxima: readonly MicroDollars[];
  /** What is held for a row while it is under way. */
  maximumOf(index: number): MicroDollars;
  /**
   * What is sent for a row: one after the other until one is taken. An idempotency key belongs to one request, and which of
   * the prices a row was sent with before is not known.
   */
  requestsOf(row: PlannedRow): readonly RunRequest[];
}

/** Asks the service what every row costs. */
export async function priceBatch(context: CliContext, batch: Batch, record: BatchRecord): Promise<PricedBatch> {
  const quote = await quoteAll(context, batch, record);
  const { sameMaximum } = quote;
  const requestOf = requestMaker(batch, record);
  const maxima = sameMaximum === undefined ? [] : [...new Set([...record.maxima.map(microDollars), sameMaximum])];
  const limitsOf = (index: number) => (sameMaximum === undefined ? [quote.maximumOf(index)] : maxima);
  return {
    quote,
    maxima,
    maximumOf: (index) => microDollars(Math.max(...limitsOf(index))),
    // A price that rises after the quote refuses the row, also where it was free.
    requestsOf: (row) =>
      limitsOf(row.source.index).map((maximum) => ({ ...requestOf(row), maxCost: toMoney(maximum) })),
  };
}

async function quoteAll(context: CliContext, batch: Batch, record: BatchRecord): Promise<BatchQuote> {
  const { client, source, plan, flags } = batch;
  const progress = context.output.progress(`Pricing ${countWords(plan.rows, "row")}`);
  try {
    return await quoteRows(client, {
      source,
      plan,
      concurrency: flags.concurrency,
      requestOf: requestMaker(batch, record),
      onQuoted: (rows) => progress.update(`Pricing: ${rows} of ${plan.rows} rows`),
    });
  } finally {
    progress.stop();
  }
}

function requestMaker({ source: { endpoint }, flags }: Batch, { batchId }: BatchRecord) {
  const limits = {
    ...(flags.maxCost && { maxCost: flags.maxCost }),
    ...(flags.maxPages !== undefined && { maxPages: flags.maxPages }),
    ...(flags.deadlineSeconds !== undefined && { deadlineMs: flags.deadlineSeconds * 1000 }),
    ...(flags.maxAge !== undefined && { maxAge: flags.maxAge }),
    ...(flags.allowUncertainRepeats && { allowUncertainRepeats: true }),
    tags: { ...flags.tag, batch: batchId },
  };
  return ({ input }: PlannedRow): RunRequest => ({
    provider: endpoint.provider,
    endpoint: endpoint.endpoint,
    input,
    ...limits,
  });
}

/** Rejects where no row may be run, or a person says no. Only a terminal asks, but for a price that rose. */
export async function confirmPrice(
  context: CliContext,
  { quote }: PricedBatch,
  record: BatchRecord,
  flags: BatchFlags,
): Promise<void> {
  const { sameMaximum } = quote;
  if (sameMaximum !== undefined && flags.maxCost && sameMaximum > parseDollars(flags.maxCost.value)) {
    throw refusedInput(
      `Each row could cost ${formatDollars(sameMaximum)}, and --max-cost allows $${flags.maxCost.value}: nothing was sent.`,
    );
  }
  const before = Math.max(...record.maxima);
  if (sameMaximum !== undefined && record.maxima.length > 0 && sameMaximum > before) {
    const prices = `${formatDollars(sameMaximum)}, and ${formatDollars(microDollars(before))} when the batch was interrupted`;
    await confirm(context, `Each row can now cost ${prices}. Run those that are left?`, { needsYes: true });
    return;
  }
  if (record.isResumed || quote.maximum === 0 || flags.maxTotal !== undefined) return;
  await confirm(context, `Run them for at most ${formatDollars(quote.maximum)}?`);
}
