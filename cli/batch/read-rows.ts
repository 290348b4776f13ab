import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { TextDecoder } from "node:util";
import { errorText } from "../../shared/error-text.ts";
import { isRecord } from "../../shared/is-record.ts";
import { refusedInput } from "../core/cli-error.ts";
import { parseGivenJson } from "../input/parse-given-json.ts";
import type { SourceRow } from "./source-row.ts";

/** How the rows of a file are written. */
export type RowFormat = "csv" | "jsonl";

/** All rows of a chunk are in memory at once: of short rows a larger one has many thousands. */
const CHUNK_BYTES = 16_384;

/** A file of rows. */
interface RowFile {
  readonly path: string;
  /** For people. */
  readonly name: string;
  readonly format: RowFormat;
}

/** By the end of the name; undefined where it says nothing. */
export function formatOfName(path: string): RowFormat | undefined {
  if (/\.(jsonl|ndjson)$/i.test(path)) return "jsonl";
  return /\.csv$/i.test(path) ? "csv" : undefined;
}

/**
 * The rows of a file, one after the other; empty lines are none. `onBytes` is called with everything that is read. Rejects
 * with refused input that names the line.
 */
export async function* readRows(
  { path, name, format }: RowFile,
  onBytes: (bytes: Uint8Array) => void = () => {},
): AsyncGenerator<SourceRow> {
  const texts = decoded(readChunks({ path, name }, onBytes), name);
  yield* format === "csv" ? readCsv(texts, name) : readJsonLines(texts, name);
}

async function* readChunks(
  { path, name }: Pick<RowFile, "path" | "name">,
  onBytes: (bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>) {
      onBytes(chunk);
      yield chunk;
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

async function* readJsonLines(texts: AsyncIterable<string>, name: string): AsyncGenerator<SourceRow> {
  let line = 0;
  let index = 0;
  for await (const text of readLines(texts)) {
    line += 1;
    if (text.trim() === "") continue;
    yield { index, line, columns: columnsOf(text, name, line) };
    index += 1;
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

async function* readCsv(texts: AsyncIterable<string>, name: string): AsyncGenerator<SourceRow> {
  const { CsvError, parse } = await import("csv-parse");
  const parser = parse({ skip_empty_lines: true, info: true });
  const input = Readable.from(texts);
  input.once("error", (error) => parser.destroy(error));
  input.pipe(parser);
  let header: readonly string[] | undefined;
  let index = 0;
  let firstLine = 1;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      const line = firstLine;
      firstLine = info.lines + 1;
      if (header === undefined) {
        header = checkHeader(record, name);
        continue;
      }
      const names = header;
      // An empty cell is no value: a text that is empty cannot be told from one that is missing.
      const columns = record.map((text, at) => [names[at] ?? "", { text }] as const);
      yield { index, line, columns };
      index += 1;
    }
  } catch (error) {
    if (error instanceof CsvError) {
      throw refusedInput(`${name} is not CSV: ${errorText(error)}.`);
    }
    throw error;
  } finally {
    input.destroy();
  }
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
