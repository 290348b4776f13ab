import { refusedInput } from "../../core/cli-error.ts";
import type { Output } from "../../output/output.ts";
import { isThere } from "./built-results.ts";
import { checkIsFile } from "./check-is-file.ts";
import { formatOfResults } from "./results-format.ts";
import type { Results } from "./results.ts";
import { CollectedResults, stdoutResults } from "./stdout-results.ts";

export interface ResultsPlace {
  /** What `-o` names; absent or `-` is stdout. */
  readonly path: string | undefined;
  readonly batchId: string;
  /** Whether an interrupted batch of these rows wrote there: what it has stays. */
  readonly isContinued: boolean;
  /** Whether stdout has one JSON value. */
  readonly isOneValue: boolean;
  /** The columns of the rows, for a table. */
  readonly columns: readonly string[];
  /** How many rows the batch has. */
  readonly rows: number;
  /** The table in a database, or the sheet; absent: results. */
  readonly table?: string | undefined;
}

/** Rejects where the results are there already and the batch is not continued: what is in them may have been paid for. */
export async function checkResultsPlace(place: ResultsPlace): Promise<void> {
  const { path, isContinued, columns, rows, table = DEFAULT_TABLE } = place;
  if (path === undefined || path === "-") return;
  const format = formatOfResults(path);
  await checkIsFile(path);
  if (isContinued) return;
  if (format === "sqlite")
    return await (await import("./sqlite-results.ts")).checkSqlitePlace({ path, table, columns });
  if (format === "xlsx") return await (await import("./xlsx-results.ts")).checkXlsxPlace({ path, columns, rows });
  if (!(await isThere(path))) return;
  throw refusedInput(`${path} exists already, and is not of an interrupted batch of these rows: choose another name.`);
}

/** Opens the results of a batch, with what an interrupted one left of them. */
export async function openResults(
  { path, batchId, columns, rows, isOneValue, table = DEFAULT_TABLE }: ResultsPlace,
  output: Output,
): Promise<Results | CollectedResults> {
  if (path === undefined || path === "-") return isOneValue ? new CollectedResults() : stdoutResults(output);
  switch (formatOfResults(path)) {
    case "jsonl":
      return await (await import("./jsonl-results.ts")).openJsonlResults(path);
    case "csv":
      return await (await import("./csv-results.ts")).openCsvResults(path, columns);
    case "sqlite":
      return await (await import("./sqlite-results.ts")).openSqliteResults({ path, batchId, table, columns, rows });
    case "xlsx": {
      const note = async (text: string) => await output.note(text);
      return await (
        await import("./xlsx-results.ts")
      ).openXlsxResults({ path, batchId, sheet: table, columns, rows, note });
    }
  }
}

const DEFAULT_TABLE = "results";
