import type { RunInput } from "../../shared/contract/runs.ts";
import { isRecord } from "../../shared/is-record.ts";
import { CliError, refusedInput, usageError } from "../core/cli-error.ts";
import { arrangeInput, type InputTarget, parseWord } from "../input/coerce-input.ts";
import { didYouMean } from "../core/near-misses.ts";
import type { NamedValue } from "../input/named-value.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords } from "../words/target.ts";
import type { SourceRow } from "./source-row.ts";

/** Which columns are input. */
export interface ColumnMap {
  /** The input's name by the column's. Absent: every column is an input of the same name. */
  readonly names: ReadonlyMap<string, string> | undefined;
  /** `key=value` and `key:=json` for every row. */
  readonly constants: readonly string[];
}

/** `column=field`, or `column` for a field of the same name. Throws usage errors. */
export function parseColumnMap(words: readonly string[] | undefined): ColumnMap["names"] {
  if (words === undefined) return undefined;
  const names = new Map<string, string>();
  for (const word of words) {
    const equals = word.lastIndexOf("=");
    const [column, field] = equals < 0 ? [word, word] : [word.slice(0, equals), word.slice(equals + 1)];
    if (column === "" || field === "") throw usageError(`"${word}" is no map: write --map column=field.`);
    if (names.has(column)) throw usageError(`The column "${column}" is mapped twice.`);
    names.set(column, field);
  }
  return names;
}

/** Of columns, in a message. */
const MOST_NAMES = 12;

const parts: readonly string[] = ["pathParams", "queryParams", "body"];

/** What to type to see an endpoint's inputs. */
export function inspectLine(endpoint: InputTarget): string {
  return shellLine("mkt", "inspect", targetWords(endpoint));
}

/** Makes the input of each row. */
export class RowInputs {
  readonly #endpoint: InputTarget;
  readonly #names: ColumnMap["names"];
  readonly #constants: readonly NamedValue[];

  /** Throws usage errors for constants that cannot be read. */
  constructor(endpoint: InputTarget, { names, constants }: ColumnMap) {
    this.#endpoint = endpoint;
    this.#names = names;
    this.#constants = constants.map((word) => parseWord(word, endpoint));
  }

  /** Rejects with refused input that names the row's line. */
  of(row: SourceRow, fileName: string): RunInput {
    try {
      return this.#wholeInput(row) ?? arrangeInput(this.#endpoint, [...this.#constants, ...this.#valuesOf(row)]);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      throw refusedInput(
        `Line ${row.line} of ${fileName}: ${error.message}${this.#advice(error)}`,
        error.next ?? inspectLine(this.#endpoint),
      );
    }
  }

  /** A line of JSON that has the parts of a request is the input as it is. */
  #wholeInput({ columns }: SourceRow): RunInput | undefined {
    if (this.#names !== undefined || this.#constants.length > 0 || columns.length === 0) return undefined;
    const isPart = ([name, value]: SourceRow["columns"][number]) =>
      parts.includes(name) && "json" in value && isRecord(value.json);
    if (!columns.every(isPart)) return undefined;
    return Object.fromEntries(columns.map(([name, value]) => [name, "json" in value ? value.json : undefined]));
  }

  #valuesOf({ columns, line }: SourceRow): NamedValue[] {
    const fixed = new Set(this.#constants.map(({ name }) => name));
    const values: NamedValue[] = [];
    for (const [column, given] of columns) {
      const name = this.#names === undefined ? column : this.#names.get(column);
      if (name === undefined || ("text" in given && given.text === "")) continue;
      if (fixed.has(name)) {
        throw usageError(
          `The input "${name}" is given for all rows, and line ${line} has a column for it too: leave one of them out.`,
        );
      }
      values.push({ name, given });
    }
    for (const column of this.#names?.keys() ?? []) {
      if (columns.some(([name]) => name === column)) continue;
      const known = columns.map(([name]) => name);
      throw refusedInput(
        `There is no column "${column}", which --map names.${didYouMean(column, known)} It has ${known.slice(0, MOST_NAMES).join(", ") || "none"}.`,
      );
    }
    return values;
  }

  #advice({ message }: CliError): string {
    if (this.#names !== undefined || !message.includes("has no input")) return "";
    return " To take only some columns as input, name them with --map column=field.";
  }
}
