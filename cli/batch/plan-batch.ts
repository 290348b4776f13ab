import { createHash, hash } from "node:crypto";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import type { RunInput } from "../../shared/contract/runs.ts";
import { type CliError, refusedInput, withNextStep } from "../core/cli-error.ts";
import { readRows, type RowFormat, type RowReader } from "./read-rows.ts";
import { type ColumnMap, inspectLine, RowInputs } from "./row-input.ts";
import type { SourceRow } from "./source-row.ts";

/** What is run for each row of a file. */
export interface BatchSource {
  readonly endpoint: InspectResponse;
  readonly path: string;
  /** Whether they came from a pipe: whoever continues the batch gives them again. */
  readonly isPiped: boolean;
  /** What people are told: the path as it was typed, or standard input. */
  readonly name: string;
  readonly format: RowFormat;
  readonly columns: ColumnMap;
}

/** A row with what its run gets. */
export interface PlannedRow {
  readonly source: SourceRow;
  readonly input: RunInput;
  /** SHA-256 of the input's JSON, in hexadecimal digits. */
  readonly digest: string;
}

/** All that is known of a batch before anything is run. */
export interface BatchPlan {
  readonly rows: number;
  /** Lines of the file that have nothing, and are no rows. */
  readonly blankLines: number;
  /** Of the file's bytes, in hexadecimal digits. */
  readonly digest: string;
  /** Of the input of each row. */
  readonly fingerprints: readonly number[];
  /** The columns of all rows, in the order in which they appear first. */
  readonly columns: readonly string[];
}

/** The rows with their inputs, read anew each time. Rejects with refused input at the first row that cannot be read. */
async function* plannedRows(
  { endpoint, path, name, format, columns }: BatchSource,
  reader: RowReader = {},
): AsyncGenerator<PlannedRow> {
  const inputs = await withNextStep(inspectLine(endpoint), async () => new RowInputs(endpoint, columns));
  for await (const source of readRows({ path, name, format }, reader)) {
    const input = inputs.of(source, name);
    yield { source, input, digest: hash("sha256", JSON.stringify(input)) };
  }
}

/** Reads the whole file once, so that a mistake in its last line is found before the first line is paid. */
export async function planBatch(source: BatchSource): Promise<BatchPlan> {
  const bytesRead = createHash("sha256");
  const columns = new Set<string>();
  const fingerprints: number[] = [];
  let [rows, blankLines] = [0, 0];
  const reader: RowReader = {
    onBytes: (bytes) => void bytesRead.update(bytes),
    onBlankLine: () => void (blankLines += 1),
  };
  for await (const row of plannedRows(source, reader)) {
    rows += 1;
    fingerprints.push(fingerprintOf(row));
    for (const [name] of row.source.columns) columns.add(name);
  }
  if (rows === 0) throw refusedInput(`${source.name} has no rows.`);
  return { rows, blankLines, digest: bytesRead.digest("hex"), fingerprints, columns: [...columns] };
}

/** The rows once more. Rejects with refused input where they are not those of the plan: they have no price, and no consent. */
export async function* rowsOfPlan(source: BatchSource, plan: BatchPlan): AsyncGenerator<PlannedRow> {
  let rows = 0;
  for await (const row of plannedRows(source)) {
    if (plan.fingerprints[rows] !== fingerprintOf(row))
      throw hasChanged(source, `line ${row.source.line} is another one`);
    rows += 1;
    yield row;
  }
  if (rows < plan.rows) throw hasChanged(source, `it had ${plan.rows} rows, and has ${rows}`);
}

function hasChanged({ name }: BatchSource, what: string): CliError {
  return refusedInput(`${name} was changed while the batch ran: ${what}. Restore it to continue the batch.`);
}

const FINGERPRINT_DIGITS = 12;

/** As a whole number, which takes a few bytes for each row. */
function fingerprintOf({ digest }: PlannedRow): number {
  return Number.parseInt(digest.slice(0, FINGERPRINT_DIGITS), 16);
}
