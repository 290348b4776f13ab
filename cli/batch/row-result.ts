import type { AnyRun } from "../run/run-outcome.ts";
import { describeOutcome } from "../run/run-outcome.ts";
import { type MicroDollars, toDollars } from "../../shared/micro-dollars.ts";
import { isDelivered } from "../words/run-status-words.ts";
import type { SourceRow } from "./source-row.ts";
import { columnValue } from "./source-row.ts";

/** How a row ended, as it is written to the results. */
export interface RowResult {
  /** Of the row in the file, counted from 0. */
  readonly index: number;
  /** Absent where the service refused the request: there is no run, and no charge. */
  readonly runId?: string;
  /** Of the run; `REFUSED` where there is none, `UNKNOWN` where its run cannot be told. */
  readonly status: string;
  /** Dollars; of an `UNKNOWN` row the most that it may have cost. */
  readonly cost: number;
  /** Present unless the run delivered data. */
  readonly error?: string;
  /** The columns of the row. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
}

/** The result of a run that has ended. */
export function resultOfRun(source: SourceRow, run: AnyRun): RowResult {
  const error = describeOutcome(run);
  return {
    index: source.index,
    runId: run.runId,
    status: run.status,
    cost: run.cost?.value ?? 0,
    ...(error !== undefined && { error }),
    input: inputOf(source),
    ...(isDelivered(run) && { output: run.output ?? null }),
  };
}

/** The result of a row whose request the service refused: nothing was run. */
export function refusedResult(source: SourceRow, message: string): RowResult {
  return { index: source.index, status: "REFUSED", cost: 0, error: message, input: inputOf(source) };
}

/** The result of a row of which it cannot be told what came of it: it counts as what it may cost at most. */
export function unknownResult(source: SourceRow, { maximum, message }: UnknownRow): RowResult {
  return { index: source.index, status: "UNKNOWN", cost: toDollars(maximum), error: message, input: inputOf(source) };
}

export interface UnknownRow {
  readonly maximum: MicroDollars;
  readonly message: string;
}

function inputOf({ columns }: SourceRow): RowResult["input"] {
  return Object.fromEntries(columns.map(([name, value]) => [name, columnValue(value)]));
}
