import type { RunRequest } from "../../shared/contract/runs.ts";
import { countWords } from "../../shared/count-words.ts";
import {
  add,
  formatDollars,
  type MicroDollars,
  microDollars,
  NO_MONEY,
  parseDollars,
  toMoney,
} from "../../shared/micro-dollars.ts";
import type { CliContext } from "../command/context.ts";
import { refusedInput } from "../core/cli-error.ts";
import { confirm } from "../input/confirm.ts";
import type { BatchFlags } from "./batch-flags.ts";
import type { BatchRecord } from "./batch-record.ts";
import type { Batch } from "./find-record.ts";
import type { PlannedRow } from "./plan-batch.ts";
import { type BatchQuote, quoteRows } from "./quote-rows.ts";
import type { RowPrices } from "./row-prices.ts";
import type { Pass } from "./run-batch.ts";

/** A batch with its price. */
export interface PricedBatch {
  readonly quote: BatchQuote;
  /** What the rows could cost when the batch was begun and interrupted, and now: the last one is the newest. */
  readonly prices: readonly RowPrices[];
  readonly passes: readonly Pass[];
}

/** Asks the service what every row costs. */
export async function priceBatch(context: CliContext, batch: Batch, record: BatchRecord): Promise<PricedBatch> {
  const quote = await quoteAll(context, batch, record);
  const prices = [...record.prices.filter((before) => !before.equals(quote.prices)), quote.prices];
  const request = requestMaker(batch, record);
  const limitedTo = (row: PlannedRow, limits: readonly MicroDollars[]) =>
    [...new Set(limits)].map((limit) => ({ ...request(row), maxCost: toMoney(limit) }));
  const { maxCost } = batch.flags;
  const mostAllowed = maxCost === undefined ? Infinity : parseDollars(maxCost.value);
  const limitsBefore = (index: number) =>
    record.prices
      .map((before) => before.of(index))
      .filter((limit) => limit <= mostAllowed)
      .toReversed();
  const sentBefore: Pass = {
    maximumOf: (index) => microDollars(Math.max(0, ...limitsBefore(index))),
    // What was not sent before is refused by the first one, and keeps nothing.
    requestsOf: (row) => limitedTo(row, [NO_MONEY, ...limitsBefore(row.source.index)]),
  };
  const others: Pass = {
    maximumOf: (index) => quote.prices.of(index),
    // A price that rises after the quote refuses the row, also where it was free.
    requestsOf: (row) => limitedTo(row, [quote.prices.of(row.source.index), ...limitsBefore(row.source.index)]),
  };
  return { quote, prices, passes: prices.length === 1 ? [others] : [sentBefore, others] };
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
  const maxCost = flags.maxCost && parseDollars(flags.maxCost.value);
  const { ofEach } = quote.prices;
  // Rows that were paid before are still fetched.
  if (!record.isResumed && ofEach !== undefined && maxCost !== undefined && ofEach > maxCost) {
    throw refusedInput(
      `Each row could cost ${formatDollars(ofEach)}, and --max-cost allows ${formatDollars(maxCost)}: nothing was sent.`,
    );
  }
  const risen = risenRows(quote.prices, { before: record.prices, rows: record.rows, maxCost });
  if (risen.count > 0) {
    const who = risen.isEach ? "Each row" : `${risen.count} of ${countWords(record.rows, "row")}`;
    const prices = `${formatDollars(risen.now)}, and ${formatDollars(risen.before)} when the batch was interrupted`;
    await confirm(context, `${who} can now cost ${prices}. Run those that are left?`, { needsYes: true });
    return;
  }
  if (record.isResumed || quote.maximum === 0 || flags.maxTotal !== undefined) return;
  await confirm(context, `Run them for at most ${formatDollars(quote.maximum)}?`);
}

/** Rows that can cost more than what they could ever cost before, and how much: each of them, or all together. */
interface RisenRows {
  readonly count: number;
  readonly isEach: boolean;
  readonly now: MicroDollars;
  readonly before: MicroDollars;
}

interface PricesBefore {
  readonly before: readonly RowPrices[];
  readonly rows: number;
  /** A row above it is not sent, so that nobody is asked about it. */
  readonly maxCost: MicroDollars | undefined;
}

function risenRows(prices: RowPrices, { before, rows, maxCost }: PricesBefore): RisenRows {
  const none = { count: 0, isEach: false, now: NO_MONEY, before: NO_MONEY };
  if (before.length === 0) return none;
  const mostBefore = (index: number) => microDollars(Math.max(...before.map((earlier) => earlier.of(index))));
  const { ofEach } = prices;
  const isEach = ofEach !== undefined && before.every((earlier) => earlier.ofEach !== undefined);
  let risen: RisenRows = none;
  for (let index = 0; index < (isEach ? 1 : rows); index++) {
    const [now, then] = [prices.of(index), mostBefore(index)];
    if (now <= then || (maxCost !== undefined && now > maxCost)) continue;
    risen = { count: risen.count + 1, isEach, now: add(risen.now, now), before: add(risen.before, then) };
  }
  return risen;
}
