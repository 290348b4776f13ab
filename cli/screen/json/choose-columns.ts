import stringWidth from "string-width";
import { COLUMN_GAP } from "../fit-columns.ts";
import { cellText, type Tabular, type TabularColumn } from "./tabular.ts";

/** A column of text is of use from here on; what is longer may be cut. */
const LEAST_TEXT = 12;

/** The first columns that fit side by side, numbers whole; those that do not are left out. At least one. */
export function chooseColumns({ columns, rows }: Tabular, available: number): TabularColumn[] {
  const chosen: TabularColumn[] = [];
  let used = -COLUMN_GAP;
  for (const column of columns) {
    used += COLUMN_GAP + leastWidth(column, rows);
    if (used > available && chosen.length > 0) break;
    chosen.push(column);
  }
  return chosen;
}

function leastWidth({ name, isNumeric }: TabularColumn, rows: Tabular["rows"]): number {
  const widths = rows.map((row) => stringWidth(cellText(row[name])));
  const natural = Math.max(stringWidth(name), ...widths);
  return isNumeric ? natural : Math.min(natural, Math.max(LEAST_TEXT, stringWidth(name)));
}
