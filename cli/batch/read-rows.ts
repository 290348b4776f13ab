import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { TextDecoder } from "node:util";
import { countWords } from "../../shared/count-words.ts";
import { errorText } from "../../shared/error-text.ts";
import { isRecord } from "../../shared/is-record.ts";
import { refusedInput } from "../core/cli-error.ts";
import { parseGivenJson } from "../input/parse-given-json.ts";
import type { SourceRow } from "./source-row.ts";

/** How the rows of a file are written. */
export type RowFormat = "csv" | "jsonl";

const CHUNK_BYTES = 16_384;
/** What is read as rows at once. They are in memory while they wait for their turn: a whole chunk has thousands of short rows. */
const PIECE_BYTES = 1_024;

/** A file of rows. */
interface RowFile {
  readonly path: string;
  /** For people. */
  readonly name: string;
  readonly format: RowFormat;
}

/** Is told what is read. */
export interface RowReader {
  /** Of everything that is read. */
  readonly onBytes?: (bytes: Uint8Array) => void;
  /** Of a line that is no row. */
  readonly onBlankLine?: () => void;
}

/** By the end of the name; undefined where it says nothing. */
export function formatOfName(path: string): RowFormat | undefined {
  if (/\.(jsonl|ndjson)$/i.test(path)) return "jsonl";
  return /\.csv$/i.test(path) ? "csv" : undefined;
}

/**
 * The rows of a file, one after the other; a line of blanks, or of empty cells as spreadsheets leave them, is none. Rejects
 * with refused input that names the line.
 */
export async function* readRows(
  { path, name, format }: RowFile,
  { onBytes = () => {}, onBlankLine = () => {} }: RowReader = {},
): AsyncGenerator<SourceRow> {
  const texts = decoded(readChunks({ path, name }, onBytes), name);
  const rows = format === "csv" ? readCsv(texts, name) : readJsonLines(texts, name);
  let index = 0;
  for await (const { line, columns } of rows) {
    if (columns === undefined) onBlankLine();
    else yield { index: index++, line, columns };
  }
}

/** A line of a file of rows; one that is blank has no columns. */
interface RowLine {
  readonly line: number;
  readonly columns: SourceRow["columns"] | undefined;
}

async function* readChunks(
  { path, name }: Pick<RowFile, "path" | "name">,
  onBytes: (bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>) {
      onBytes(chunk);
      for (let from = 0; from < chunk.length; from += PIECE_BYTES) yield chunk.subarray(from, from + PIECE_BYTES);
    }
  } catch (error) {
    throw refusedInput(`${name} cannot be read: ${errorText(error)}`);
  }
}

/** UTF-8, or what a byte order mark says. Bytes of another encoding are refused: as other letters they would be paid for. */
async function* decoded(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder?.decode() ?? "";
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw refusedInput(`${name} is not UTF-8: save it as UTF-8.`);
  }
}

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

async function* readJsonLines(texts: AsyncIterable<string>, name: string): AsyncGenerator<RowLine> {
  let line = 0;
  for await (const text of readLines(texts)) {
    line += 1;
    yield { line, columns: text.trim() === "" ? undefined : columnsOf(text, name, line) };
  }
}

async function* readLines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function columnsOf(text: string, name: string, line: number): SourceRow["columns"] {
  const where = `Line ${line} of ${name}`;
  let value: unknown;
  try {
    value = parseGivenJson(text, where);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refusedInput(`${where} is not JSON: ${error.message}`);
  }
  if (!isRecord(value)) throw refusedInput(`${where} must be a JSON object, such as {"city": "Oslo"}.`);
  return Object.entries(value).map(([column, json]) => [column, { json }]);
}

async function* readCsv(texts: AsyncIterable<string>, name: string): AsyncGenerator<RowLine> {
  const { CsvError, parse } = await import("csv-parse");
  const parser = parse({ relax_column_count: true, info: true });
  const input = Readable.from(texts);
  input.once("error", (error) => parser.destroy(error));
  input.pipe(parser);
  let header: readonly string[] | undefined;
  let line = 1;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (record.every((text) => text.trim() === "")) yield { line, columns: undefined };
      else if (header === undefined) header = checkHeader(record, name);
      else yield { line, columns: cellsOf(record, header, `Line ${line} of ${name}`) };
      line = info.lines + 1;
    }
  } catch (error) {
    if (error instanceof CsvError) throw refusedInput(`${name} is not CSV: ${errorText(error)}. ${HOW_TO_QUOTE}`);
    throw error;
  } finally {
    input.destroy();
  }
}

const HOW_TO_QUOTE = 'A cell with commas, quotes or line breaks is written in quotes, with "" for each quote in it.';

/** An empty cell is no value: a text that is empty cannot be told from one that is missing. */
function cellsOf(record: readonly string[], names: readonly string[], where: string): SourceRow["columns"] {
  if (record.length !== names.length) {
    const cells = countWords(record.length, "cell");
    throw refusedInput(`${where} has ${cells}, and the first line names ${names.length}. ${HOW_TO_QUOTE}`);
  }
  return record.map((text, at) => [names[at] ?? "", { text }] as const);
}

function checkHeader(names: readonly string[], file: string): readonly string[] {
  const [only = ""] = names;
  if (names.length === 1 && /[;\t]/.test(only)) {
    throw refusedInput(`The first line of ${file} is "${only}": separate the columns by commas.`);
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw refusedInput(`${file} has two columns with the name "${twice}" in its first line.`);
  if (names.includes("")) {
    throw refusedInput(`Column ${names.indexOf("") + 1} of ${file} has no name: the first line names the columns.`);
  }
  return names;
}
