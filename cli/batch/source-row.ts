import type { GivenValue } from "../input/coerce-value.ts";

/** One row of a file of inputs. */
export interface SourceRow {
  /** Counted from 0. */
  readonly index: number;
  /** The line of the file that it begins on, counted from 1. */
  readonly line: number;
  /** Its columns in their order, as they are in the file. */
  readonly columns: readonly (readonly [name: string, value: GivenValue])[];
}

/** The value of a column as the results repeat it. */
export function columnValue(value: GivenValue): unknown {
  return "text" in value ? value.text : value.json;
}
