import { countWords } from "../../shared/count-words.ts";
import { formatDollars, plainDollars, subtract, toMoney } from "../../shared/micro-dollars.ts";
import type { CliContext } from "../command/context.ts";
import { type ExitCode, exitCodeOfRun, exitCodes } from "../core/exit-codes.ts";
import { Interrupted } from "../core/interrupt.ts";
import { describeFailure } from "../failure/failure.ts";
import { describeOutcome } from "../run/run-outcome.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { type Batch, GIVE_THEM_AGAIN } from "./find-record.ts";
import type { BatchPlan } from "./plan-batch.ts";
import type { BatchQuote, BatchQuoteAnswer } from "./quote-rows.ts";
import type { RowResult } from "./row-result.ts";
import type { BatchStanding } from "./run-batch.ts";
import { BatchStopped } from "./run-row.ts";

export interface QuotedBatch {
  readonly endpoint: string;
  readonly plan: BatchPlan;
  readonly quote: BatchQuote;
  /** Of the file of rows, for people. */
  readonly name: string;
}

/** Says which lines of the file are no rows. */
export async function noteBlankLines(context: CliContext, { plan, source }: Batch): Promise<void> {
  if (plan.blankLines === 0) return;
  await context.output.note(`${countWords(plan.blankLines, "blank line")} of ${source.name} skipped.`);
}

/** Says what a batch costs before anything is run. */
export async function noteQuote(context: CliContext, { plan, quote, name }: QuotedBatch): Promise<void> {
  const amounts = `about ${formatDollars(quote.estimate)}, at most ${formatDollars(quote.maximum)}`;
  await context.output.note(`${countWords(plan.rows, "row")} of ${name}: ${amounts}.`);
}

/** Prints what a batch would cost. */
export async function showQuote(context: CliContext, { endpoint, plan, quote }: QuotedBatch): Promise<void> {
  const run = shellLine("mkt", ...context.argv.filter((word) => word !== "--dry-run"));
  const { estimate, maximum } = quote;
  const value: BatchQuoteAnswer = {
    endpoint,
    rows: plan.rows,
    estimate: toMoney(estimate),
    maximum: toMoney(maximum),
    run,
  };
  const view = async () => (await import("./BatchQuoteDetail.tsx")).BatchQuoteDetail;
  await context.output.show(value, view, { data: undefined });
}

/** Why the results are not where they should be. */
export interface Unwritten {
  readonly error: unknown;
}

export interface BatchEnd {
  readonly batchId: string;
  /** The command that continues it. */
  readonly resume: string;
  /** Whether it needs the rows once more. */
  readonly isPiped: boolean;
  /** The results, where `--json` prints them with the summary. */
  readonly items: readonly RowResult[] | undefined;
  readonly unwritten: Unwritten | undefined;
}

/** Says how a batch ended, and sets the exit code: all rows delivered data, some, or none. */
export async function reportBatch(context: CliContext, standing: BatchStanding, end: BatchEnd): Promise<void> {
  const { output } = context;
  const { rows, done, delivered, spent } = standing;
  const { why, exitCode } = await reasonOf(standing, context);
  const unwritten = end.unwritten && (await describeFailure(end.unwritten.error, context));
  const isInterrupted = exitCode === exitCodes.interrupted;
  context.exitCode = unwritten === undefined || isInterrupted ? exitCodeOf(standing, exitCode) : unwritten.exitCode;
  if (context.flags.json) {
    const summary = {
      batchId: end.batchId,
      rows,
      done,
      delivered,
      failed: done - delivered,
      cost: toMoney(spent),
      ...(end.items !== undefined && { items: end.items }),
    };
    await output.show(summary, drawNothing, { data: undefined });
  }
  if (standing.stop?.kind === "reader") return;
  const parts = [
    `${delivered} of ${countWords(rows, "row")} delivered`,
    ...(done > delivered ? [`${done - delivered} without data (see their error)`] : []),
    ...(rows > done ? [`${rows - done} not done`] : []),
    formatDollars(spent),
    `batch ${end.batchId}`,
  ];
  await output.note(parts.join(" · "));
  if (done === rows && standing.stop !== undefined) await output.note(why);
  if (done === rows && unwritten === undefined) {
    if (delivered === rows) return;
    const failed = `${countWords(rows - delivered, "row")} of ${rows} ended without data.`;
    return await output.error({
      code: 0,
      message: `${failed} The results have the error of each.`,
      next: output.command("runs", "--tag", `batch=${end.batchId}`),
    });
  }
  await output.error({
    code: 0,
    message: [
      ...(done < rows ? [why] : []),
      ...(unwritten === undefined || unwritten.message === why ? [] : [unwritten.message]),
      ...underWay(standing, context),
      "Rows that are done are not charged again.",
      ...(end.isPiped ? [GIVE_THEM_AGAIN] : []),
    ]
      .join(" ")
      .trim(),
    next: end.resume,
  });
}

/** What has begun and has no end yet. */
function underWay({ goingOn, awaitingApproval }: BatchStanding, { output }: CliContext): string[] {
  const others = goingOn - awaitingApproval;
  const list = output.command("approvals");
  return [
    ...(awaitingApproval === 0
      ? []
      : [
          `${countWords(awaitingApproval, "run")} waiting for a person's approval: ${list} shows how somebody gives it.`,
        ]),
    ...(others === 0 ? [] : [`${countWords(others, "run")} still going on.`]),
  ];
}

/** With `--json` no screen is drawn. */
const drawNothing = () => Promise.reject(new Error("a summary has no screen"));

/** Why rows were left, and the exit code where nothing was delivered. */
async function reasonOf(standing: BatchStanding, context: CliContext): Promise<{ why: string; exitCode: ExitCode }> {
  const { stop, goingOn } = standing;
  if (stop === undefined) {
    return { why: goingOn === 0 ? "Some rows were left." : "", exitCode: exitCodeOfResults(standing) };
  }
  if (stop.kind === "maxTotal") {
    return { why: exceeded(standing), exitCode: goingOn === 0 ? exitCodes.blocked : exitCodeOfResults(standing) };
  }
  if (stop.kind === "reader") return { why: "", exitCode: exitCodes.delivered };
  const { error } = stop;
  if (error instanceof Interrupted)
    return { why: "Interrupted: runs that have begun go on.", exitCode: exitCodes.interrupted };
  if (error instanceof BatchStopped && error.blocked !== undefined) {
    return { why: describeOutcome(error.blocked) ?? "A budget refused a row.", exitCode: exitCodes.blocked };
  }
  const failure = await describeFailure(error instanceof BatchStopped ? error.cause : error, context);
  return { why: failure.message, exitCode: failure.exitCode };
}

/** What the limit would have to be, since the same one would stop the batch again. */
function exceeded({ rows, done, spent, enough = spent }: BatchStanding): string {
  const left = `${countWords(rows - done, "row")} left could cost up to ${formatDollars(subtract(enough, spent))}`;
  return `The next row could exceed --max-total. The ${left}: --max-total ${plainDollars(enough)} is enough for all.`;
}

/** 0 for all, another code of its own for some, and where nothing was delivered that of the first failure. */
function exitCodeOf({ rows, delivered, stop }: BatchStanding, ofNone: ExitCode): ExitCode {
  if (stop?.kind === "reader") return exitCodes.delivered;
  if (ofNone === exitCodes.interrupted || delivered === rows) return delivered === rows ? exitCodes.delivered : ofNone;
  return delivered > 0 ? exitCodes.someDelivered : ofNone;
}

function exitCodeOfResults({ firstFailure, goingOn, awaitingApproval }: BatchStanding): ExitCode {
  if (firstFailure === "REFUSED") return exitCodes.refused;
  if (firstFailure === "COMPLETED") return exitCodes.providerError;
  if (firstFailure !== undefined) return exitCodeOfRun({ status: firstFailure });
  if (awaitingApproval > 0) return exitCodes.waitsForApproval;
  return goingOn > 0 ? exitCodes.waitingTimedOut : exitCodes.failed;
}
