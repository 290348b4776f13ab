import { createReadStream } from "node:fs";
import { open, truncate } from "node:fs/promises";
import { csvLine } from "../../../shared/csv-line.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { appendTo, closeFlushed } from "./appended-file.ts";
import { DoneRows, type Results } from "./results.ts";
import { type TableFile, tableResults } from "./table-results.ts";

/** Results as a table in CSV; what an interrupted batch left of a line is cut off. */
export async function openCsvResults(path: string, inputColumns: readonly string[]): Promise<Results> {
  return tableResults(await openCsvFile(path), inputColumns);
}

async function openCsvFile(path: string): Promise<TableFile> {
  const { done, header, wholeBytes } = await readDone(path);
  if (wholeBytes !== undefined) await truncate(path, wholeBytes);
  const file = await open(path, "a");
  const append = appendTo({ file, path });
  return {
    done,
    columns: header,
    mostColumns: Infinity,
    begin: async (columns) => await append(csvLine([...columns])),
    add: async (rows) => await append(rows.map((row) => csvLine([...row])).join("")),
    close: async () => await closeFlushed({ file, path }),
  };
}

interface Found {
  readonly done: DoneRows;
  readonly header: readonly string[] | undefined;
  /** Where its last whole line ends; undefined where there is no file. */
  readonly wholeBytes: number | undefined;
}

async function readDone(path: string): Promise<Found> {
  const { CsvError, parse } = await import("csv-parse");
  const done = new DoneRows();
  let header: readonly string[] | undefined;
  let wholeBytes = 0;
  const bytes = createReadStream(path);
  const parser = parse({ info: true, relax_column_count: true, relax_quotes: true });
  bytes.once("error", (error) => parser.destroy(error));
  bytes.pipe(parser);
  // The line that was being written last has no end of line: only what another record follows is surely whole.
  let pending: { readonly record: readonly string[]; readonly bytes: number } | undefined;
  const take = ({ record, bytes: end }: { record: readonly string[]; bytes: number }) => {
    wholeBytes = end;
    if (header === undefined) header = record;
    else if (record.length === header.length) {
      done.add(Number(record[0]), { cost: Number(record[3]), isDelivered: record[4] === "" });
    }
  };
  try {
    const records = parser as AsyncIterable<{ record: string[]; info: { bytes: number } }>;
    for await (const { record, info } of records) {
      if (pending !== undefined) take(pending);
      pending = { record, bytes: info.bytes };
    }
    if (pending !== undefined && (await endsWithLine(path))) take(pending);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return { done, header: undefined, wholeBytes: undefined };
    // A quote that the interruption left open: all before it is whole.
    if (!(error instanceof CsvError)) throw error;
    if (pending !== undefined) take(pending);
  }
  return { done, header, wholeBytes };
}

async function endsWithLine(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] === 0x0a;
  } finally {
    await file.close();
  }
}
