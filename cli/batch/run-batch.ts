import { setMaxListeners } from "node:events";
import type { Client } from "../../shared/client/client.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import {
  add,
  formatDollars,
  type MicroDollars,
  microDollars,
  NO_MONEY,
  parseDollars,
  subtract,
  sum,
} from "../../shared/micro-dollars.ts";
import { type Admission, inParallel } from "./in-parallel.ts";
import { type BatchPlan, type BatchSource, type PlannedRow, rowsOfPlan } from "./plan-batch.ts";
import type { Results } from "./results/results.ts";
import { refusedResult, type RowResult } from "./row-result.ts";
import { type TooDear, type GoingOn, isShortOfMoney, runRow } from "./run-row.ts";
import { RowsInFlight } from "./rows-in-flight.ts";
import { SpendingLimit } from "./spending-limit.ts";

export interface BatchRun {
  readonly client: Client;
  readonly batchId: string;
  readonly source: BatchSource;
  readonly plan: BatchPlan;
  readonly results: Results;
  /**
   * Where prices are others than before: rows that were sent before, then all others. Only when the former have their end is
   * it known how much --max-total leaves for the latter.
   */
  readonly passes: readonly Pass[];
  /** What a row may cost: one that could cost more is not sent. */
  readonly maxCost: MicroDollars | undefined;
  /** What the whole batch may cost, what an interrupted one has cost included. */
  readonly maxTotal: MicroDollars | undefined;
  readonly concurrency: number;
  readonly waitSeconds: number;
  readonly signal: AbortSignal;
  readonly onBusy: (error: unknown) => Promise<void>;
  /** A run that was sent then is left without a result. */
  readonly onGoingOn: (sentAtMs: number) => Promise<void>;
  readonly onProgress: (standing: BatchStanding) => void;
}

/** What is sent for the rows. Those of which nothing is taken, or that are too dear, are left to the next pass. */
export interface Pass {
  /** What the run of a row may cost at most. */
  maximumOf(index: number): MicroDollars;
  /** What is sent for a row, one after the other until one is taken or too dear: they differ in their limit. */
  requestsOf(row: PlannedRow): readonly RunRequest[];
}

/** How far a batch is. */
export interface BatchStanding {
  readonly rows: number;
  /** Rows that have a result. */
  done: number;
  delivered: number;
  /** Runs that go on beyond the time that was waited for. */
  goingOn: number;
  /** Of these, runs that wait for a person's approval. */
  awaitingApproval: number;
  spent: MicroDollars;
  /** The exit code's source where nothing was delivered: the first result without data. */
  firstFailure: string | undefined;
  /** Why the rest was left. */
  stop: StopReason | undefined;
  /** Of a batch that its limit stopped: the limit that suffices for all rows, whatever they cost. */
  enough: MicroDollars | undefined;
}

export type StopReason =
  | { readonly kind: "maxTotal" }
  | { readonly kind: "reader" }
  | { readonly kind: "error"; readonly error: unknown };

/** Runs every row that has no result yet. Returns how it stands, also where it had to stop; rejects where results are lost. */
export async function runBatch(batch: BatchRun): Promise<BatchStanding> {
  // Every row that is under way listens to it.
  setMaxListeners(0, batch.signal);
  const { results } = batch;
  const before = results.done;
  const limit = new SpendingLimit(batch.maxTotal, sum(before.costs.map(parseDollars)));
  const standing: BatchStanding = {
    rows: batch.plan.rows,
    done: before.count,
    delivered: before.delivered,
    goingOn: 0,
    awaitingApproval: 0,
    spent: limit.spent,
    firstFailure: undefined,
    stop: undefined,
    enough: undefined,
  };
  let rest = mostOfRest(batch);
  const inFlight = new RowsInFlight();
  batch.onProgress(standing);

  const isMet = new Uint8Array(batch.plan.rows);
  const work = async (pass: Pass, row: PlannedRow) => {
    const maximum = heldFor(batch, pass, row.source.index);
    limit.hold(maximum);
    const sentAtMs = Date.now();
    const result = await inFlight.run(async () => await resultOf(batch, pass, row), isShortOfMoney);
    if ("isTooDear" in result) return limit.settle(maximum, NO_MONEY);
    isMet[row.source.index] = 1;
    if ("goingOn" in result) {
      // What it will cost stays held.
      await batch.onGoingOn(sentAtMs);
      standing.goingOn += 1;
      if (result.awaitsApproval) standing.awaitingApproval += 1;
      return;
    }
    const cost = result.cost === 0 ? NO_MONEY : parseDollars(result.cost);
    limit.settle(maximum, cost);
    rest = subtract(rest, mostOf(batch, row.source.index));
    standing.spent = limit.spent;
    await results.write(result);
    standing.done += 1;
    if (result.error === undefined) standing.delivered += 1;
    else standing.firstFailure ??= result.status;
    batch.onProgress(standing);
  };
  const last: { admission: Admission } = { admission: "now" };
  const admit = (pass: Pass, row: PlannedRow) => {
    if (results.lostItsReader) standing.stop = { kind: "reader" };
    if (standing.stop !== undefined) return "never";
    const admission = limit.admit(heldFor(batch, pass, row.source.index));
    if (admission === "never") standing.stop = { kind: "maxTotal" };
    last.admission = admission;
    return admission;
  };
  try {
    for (const pass of batch.passes) {
      await inParallel(
        rowsLeft(batch, isMet),
        batch.concurrency,
        (row) => work(pass, row),
        (row) => admit(pass, row),
      );
      if (standing.stop !== undefined || last.admission === "later") break;
    }
  } catch (error) {
    standing.stop = { kind: "error", error };
  }
  // Nothing is under way any more, and what goes on beyond the wait holds the rest.
  if (last.admission === "later") standing.stop ??= { kind: "maxTotal" };
  // Rows that are sent again for stdout fit it too: this limit let them through, and it is above this one.
  if (standing.stop?.kind === "maxTotal") standing.enough = add(limit.spent, rest);
  return standing;
}

/** The most that the rows without a result may cost. */
function mostOfRest(batch: BatchRun): MicroDollars {
  let rest = NO_MONEY;
  for (let index = 0; index < batch.plan.rows; index++) {
    if (!batch.results.done.has(index)) rest = add(rest, mostOf(batch, index));
  }
  return rest;
}

/** What a row may cost in any of the passes. */
function mostOf(batch: BatchRun, index: number): MicroDollars {
  return microDollars(Math.max(...batch.passes.map((pass) => heldFor(batch, pass, index))));
}

/** What a row may cost while it is under way; one that is above --max-cost is not sent. */
function heldFor({ maxCost }: BatchRun, pass: Pass, index: number): MicroDollars {
  const maximum = pass.maximumOf(index);
  return maxCost !== undefined && maximum > maxCost ? NO_MONEY : maximum;
}

async function resultOf(batch: BatchRun, pass: Pass, row: PlannedRow): Promise<RowResult | GoingOn | TooDear> {
  const { client, batchId, passes, maxCost, waitSeconds, signal, onBusy } = batch;
  const { source, digest } = row;
  const maximum = pass.maximumOf(source.index);
  const isSentAgain = pass !== passes.at(-1);
  if (maxCost !== undefined && maximum > maxCost) {
    if (isSentAgain) return { isTooDear: true };
    const limits = `${formatDollars(maximum)}, and --max-cost allows ${formatDollars(maxCost)}`;
    return refusedResult(source, `This row could cost ${limits}: it was not sent.`);
  }
  return await runRow(client, {
    batchId,
    source,
    digest,
    requests: pass.requestsOf(row),
    maximum,
    isSentAgain,
    waitSeconds,
    signal,
    onBusy,
  });
}

/** Those that have no result, and that no earlier pass met. */
async function* rowsLeft({ source, plan, results }: BatchRun, isMet: Uint8Array): AsyncGenerator<PlannedRow> {
  for await (const row of rowsOfPlan(source, plan)) {
    const { index } = row.source;
    if (!results.done.has(index) && isMet[index] === 0) yield row;
  }
}
