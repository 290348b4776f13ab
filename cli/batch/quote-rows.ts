import type { Client } from "../../shared/client/client.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import type { Money } from "../../shared/contract/common.ts";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { add, type MicroDollars, microDollars, NO_MONEY, parseDollars } from "../../shared/micro-dollars.ts";
import { READ_AGAIN_WITHIN_MS, retryWhenBusy } from "../connection/retry-when-busy.ts";
import { refusedInput } from "../core/cli-error.ts";
import { inParallel } from "./in-parallel.ts";
import { type BatchPlan, type BatchSource, type PlannedRow, rowsOfPlan } from "./plan-batch.ts";
import { RowPrices } from "./row-prices.ts";

/** What a batch costs, worked out by the service before anything is run. */
export interface BatchQuote {
  readonly estimate: MicroDollars;
  readonly maximum: MicroDollars;
  readonly prices: RowPrices;
}

/** What `--dry-run` prints. */
export interface BatchQuoteAnswer {
  readonly endpoint: string;
  readonly rows: number;
  readonly estimate: Money;
  readonly maximum: Money;
  /** The command that runs them. */
  readonly run: string;
}

export interface Quoting {
  readonly source: BatchSource;
  readonly plan: BatchPlan;
  readonly concurrency: number;
  readonly requestOf: (row: PlannedRow) => RunRequest;
  readonly onQuoted?: (rows: number) => void;
}

/**
 * Asks for the price of every row, or once where all rows cost the same. Rejects with what the service answers: an input
 * that it refuses has a price neither.
 */
export async function quoteRows(client: Client, quoting: Quoting): Promise<BatchQuote> {
  const quoteOne = async (row: PlannedRow) => {
    const body = quoting.requestOf(row);
    const quote = await retryWhenBusy(() => client.quoteRun({ body }), { withinMs: READ_AGAIN_WITHIN_MS }).catch(
      (error: unknown) => {
        if (!(error instanceof ServiceError) || error.status !== 400) throw error;
        throw refusedInput(`Line ${row.source.line} of ${quoting.source.name}: ${error.message}`);
      },
    );
    return { estimate: parseDollars(quote.estimate.value), maximum: parseDollars(quote.maximum.value) };
  };
  if (costsTheSame(quoting.source.endpoint)) {
    for await (const row of rowsOfPlan(quoting.source, quoting.plan)) {
      const { estimate, maximum } = await quoteOne(row);
      const { rows } = quoting.plan;
      const prices = new RowPrices([[rows, maximum]]);
      return { estimate: microDollars(estimate * rows), maximum: prices.total, prices };
    }
  }
  const maxima = new Float64Array(quoting.plan.rows);
  let [estimate, quoted] = [NO_MONEY, 0];
  await inParallel(rowsOfPlan(quoting.source, quoting.plan), quoting.concurrency, async (row) => {
    const quote = await quoteOne(row);
    estimate = add(estimate, quote.estimate);
    maxima[row.source.index] = quote.maximum;
    quoting.onQuoted?.(++quoted);
  });
  const prices = RowPrices.of(maxima);
  return { estimate, maximum: prices.total, prices };
}

/**
 * Whether neither the input nor the result has a say in the price; a route shows the price of one of its members only. What
 * another market asks may have changed since its price was taken over, so only its quotes say it.
 */
function costsTheSame({ price, route, via }: InspectResponse): boolean {
  if (via !== undefined || route?.members.some((member) => member.via !== undefined)) return false;
  const { type, selectors, variants, tiers } = price;
  if (![selectors, variants, tiers].every((list) => list === undefined || list.length === 0)) return false;
  const types = [type, ...(route?.members.flatMap((member) => member.price?.type ?? []) ?? [])];
  return types.every((one) => one === "PER_CALL");
}
