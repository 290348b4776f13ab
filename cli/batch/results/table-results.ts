import { isRecord } from "../../../shared/is-record.ts";
import type { RowResult } from "../row-result.ts";
import type { DoneRows, Results } from "./results.ts";

/** What a cell of a table may have; lists and objects are JSON. */
export type Cell = string | number | boolean | undefined;

/** A file that takes results as rows of a table, one after the other. */
export interface TableFile {
  /** What an interrupted batch left in it. */
  readonly done: DoneRows;
  /** Its columns; undefined where none were written yet. */
  readonly columns: readonly string[] | undefined;
  /** How many columns it can have. */
  readonly mostColumns: number;
  begin(columns: readonly string[]): Promise<void>;
  add(rows: readonly (readonly Cell[])[]): Promise<void>;
  close(): Promise<void>;
}

export const ownColumns = ["index", "runId", "status", "cost", "error"] as const;
/** Members of an output that the first one did not have, as JSON. */
const OTHERS = "output.others";
/** The first output says which columns there are: this many rows without one are kept until it comes. */
const MOST_WAITING = 1_000;

/**
 * Results as a table: our columns, those of the row, and one for each member of the first output (what is no plain object
 * has one column). Members for which there is no room are among the others.
 */
export function tableResults(file: TableFile, inputColumns: readonly string[]): Results {
  let outputColumns = file.columns?.slice(ownColumns.length + inputColumns.length);
  let waiting: RowResult[] = [];
  const begin = async (result: RowResult | undefined) => {
    const columns = columnsOf(result?.output, file.mostColumns - ownColumns.length - inputColumns.length);
    outputColumns = columns;
    const rows = [...waiting, ...(result === undefined ? [] : [result])];
    waiting = [];
    // In one go: what comes meanwhile must not come between.
    await Promise.all([
      file.begin([...ownColumns, ...inputColumns.map(nameOfInput), ...columns]),
      file.add(rows.map((row) => cellsOf(row, inputColumns, columns))),
    ]);
  };
  return {
    done: file.done,
    lostItsReader: false,
    async write(result) {
      if (outputColumns !== undefined) return file.add([cellsOf(result, inputColumns, outputColumns)]);
      if (result.output !== undefined || waiting.length >= MOST_WAITING) return begin(result);
      waiting.push(result);
    },
    async close() {
      try {
        if (outputColumns === undefined && waiting.length > 0) await begin(undefined);
      } finally {
        await file.close();
      }
    },
  };
}

/** Ours keep their names; those of the rows give way. */
function nameOfInput(name: string): string {
  return (ownColumns as readonly string[]).includes(name) || name.startsWith("output") ? `input.${name}` : name;
}

function columnsOf(output: unknown, room: number): string[] {
  if (!isRecord(output) || Object.keys(output).length === 0) return ["output"];
  const names = Object.keys(output).slice(0, room - 1);
  return [...names.map((name) => `output.${name}`), OTHERS];
}

function cellsOf(result: RowResult, inputColumns: readonly string[], outputColumns: readonly string[]): Cell[] {
  const { index, runId, status, cost, error, input, output } = result;
  const inputs = inputColumns.map((name) => cell(input[name]));
  return [index, runId, status, cost, error, ...inputs, ...outputCells(output, outputColumns)];
}

function outputCells(output: unknown, columns: readonly string[]): Cell[] {
  if (columns.length === 1) return [cell(output)];
  const members: Record<string, unknown> = isRecord(output) ? { ...output } : output === undefined ? {} : { output };
  const cells = columns.slice(0, -1).map((column) => {
    const name = column.slice("output.".length);
    const value = members[name];
    delete members[name];
    return cell(value);
  });
  return [...cells, Object.keys(members).length === 0 ? undefined : JSON.stringify(members)];
}

function cell(value: unknown): Cell {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value);
}
