import { setImmediate as othersWere } from "node:timers/promises";
import { errorText } from "../../../shared/error-text.ts";
import { type JsonAnswer, type JsonLimits, MAX_ANSWER_VALUES, readJson, tooManyValues } from "./json-answer.ts";
import { UnreadableAnswerError } from "./read-body.ts";

/** The lines that a note names; of more it says how many there are. */
const MOST_NAMED = 5;
const LINES_IN_A_TURN = 2_000;
const CSV_CHUNK_CHARACTERS = 65_536;
/** As many as a spreadsheet has. The time that the parser takes grows with their square, and it gives no way meanwhile. */
const MOST_COLUMNS = 16_384;
/** Each costs the parser about as much as a thousand that can be read. */
const MOST_BROKEN = 1_000;

/**
 * The rows of newline-delimited JSON, one value a line; empty lines are none. A line that is not JSON is left out, and a
 * note says which. Rejects with UnreadableAnswerError when no line can be read, or for too many values.
 */
export async function readNdjson(text: string, limits: JsonLimits = {}): Promise<JsonAnswer> {
  const rows: string[] = [];
  const broken: number[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (index % LINES_IN_A_TURN === LINES_IN_A_TURN - 1) await othersWere();
    if (line.trim() === "") continue;
    if (isJson(line)) rows.push(line);
    else broken.push(index + 1);
  }
  refuseUnreadable(rows.length, broken);
  const answer = await readJson(`[${rows.join(",")}]`, { orText: false, ...limits });
  return { ...answer, notes: [...answer.notes, ...brokenNotes(broken)] };
}

/**
 * The rows of CSV (RFC 4180) as objects by the names in its first line; values are texts, as nothing in the file says
 * what else they are. A line with another number of values, or with quotes that do not fit, is left out, and a note says
 * which. Rejects as `readNdjson`.
 */
export async function readCsv(
  text: string,
  { delimiter, maxValues = MAX_ANSWER_VALUES }: { readonly delimiter: string; readonly maxValues?: number | undefined },
): Promise<JsonAnswer> {
  const { parse } = await import("csv-parse");
  const broken: number[] = [];
  const parser = parse({
    bom: true,
    delimiter,
    columns: (names: string[]) => checkedNames(names),
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      broken.push(Number(error === undefined ? 0 : error["lines"]));
      if (broken.length > MOST_BROKEN) parser.destroy(tooManyBroken());
    },
  });
  const rows: unknown[] = [];
  let values = 1;
  const writing = write(parser, text);
  try {
    for await (const row of parser as AsyncIterable<Record<string, string>>) {
      rows.push(row);
      values += 1 + Object.keys(row).length;
      if (values > maxValues) throw tooManyValues(values, maxValues);
    }
    await writing;
  } catch (error) {
    if (error instanceof UnreadableAnswerError) throw error;
    throw new UnreadableAnswerError(`the answer is not readable CSV: ${errorText(error)}`);
  }
  refuseUnreadable(rows.length, broken);
  return { value: rows, values, notes: brokenNotes(broken) };
}

/** In chunks, so that other work runs in between. */
async function write(parser: NodeJS.WritableStream, text: string): Promise<void> {
  for (let at = 0; at < text.length && parser.writable; at += CSV_CHUNK_CHARACTERS) {
    parser.write(text.slice(at, at + CSV_CHUNK_CHARACTERS));
    await othersWere();
  }
  if (parser.writable) parser.end();
}

/** A name that comes twice would hide a column. */
function checkedNames(names: readonly string[]): string[] {
  if (names.length > MOST_COLUMNS)
    throw new UnreadableAnswerError(`the answer's CSV has ${names.length} columns; at most ${MOST_COLUMNS} are read`);
  const seen = new Set<string>();
  return names.map((given) => {
    const name = given.trim();
    if (seen.has(name))
      throw new UnreadableAnswerError(`the answer's CSV has the column ${JSON.stringify(name)} twice`);
    seen.add(name);
    return name;
  });
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function tooManyBroken(): UnreadableAnswerError {
  return new UnreadableAnswerError(`the answer is not readable CSV: more than ${MOST_BROKEN} lines are broken`);
}

function refuseUnreadable(rows: number, broken: readonly number[]): void {
  if (rows > 0 || broken.length === 0) return;
  throw new UnreadableAnswerError(`no line of the answer can be read: ${linesWords(broken)} broken`);
}

function brokenNotes(broken: readonly number[]): string[] {
  return broken.length === 0 ? [] : [`Left out, as they cannot be read: ${linesWords(broken)} of the answer`];
}

function linesWords(broken: readonly number[]): string {
  const named = broken.slice(0, MOST_NAMED).join(", ");
  const more = broken.length > MOST_NAMED ? ` and ${broken.length - MOST_NAMED} more` : "";
  return `${broken.length === 1 ? "line" : "lines"} ${named}${more}`;
}
