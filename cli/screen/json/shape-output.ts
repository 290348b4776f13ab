import { type BinaryOutput, readBinaryOutput } from "../../../shared/binary-output.ts";
import { countWords } from "../../../shared/count-words.ts";
import { foldJson } from "./fold-json.ts";
import { cellText, type Tabular, type TabularColumn, toTabular } from "./tabular.ts";
import stringWidth from "string-width";
import { COLUMN_GAP } from "../fit-columns.ts";

/** How the data of a run is shown. `leftOut` says what is not, in words; absent where all is. */
export type ShapedOutput = (
  | { readonly kind: "nothing" }
  | { readonly kind: "table"; readonly tabular: Tabular; readonly columns: readonly TabularColumn[] }
  | { readonly kind: "lines"; readonly lines: readonly string[] }
) & { readonly leftOut?: string };

export interface Room {
  /** Width of the screen. */
  readonly columns: number;
  readonly linear: boolean;
  /** Shorten nothing. */
  readonly full: boolean;
}

const MOST_ROWS = 20;
const MOST_LINES = 40;
const folded = { items: 10, members: 30, characters: 300, depth: 5, lines: MOST_LINES };

/** A table where the data is one, else a text as it is, else JSON; of what is long the beginning, unless all is asked for. */
export function shapeOutput(output: unknown, room: Room): ShapedOutput {
  if (output === undefined || output === null) return { kind: "nothing" };
  const bytes = readBinaryOutput(output);
  if (bytes !== undefined) return { kind: "lines", lines: [bytesWords(bytes)], leftOut: "The bytes are not shown" };
  const tabular = toTabular(output);
  if (tabular !== undefined) return shapeTable(tabular, room);
  if (typeof output === "string") return shapeText(output, room);
  if (room.full) return { kind: "lines", lines: [JSON.stringify(output, null, 2)] };
  const { lines, isWhole } = foldJson(output, { columns: room.columns, ...folded });
  return { kind: "lines", lines, ...(!isWhole && { leftOut: "Shortened" }) };
}

/** `application/pdf, 12345 bytes, report.pdf`. */
function bytesWords({ contentType, bytes, filename }: BinaryOutput): string {
  return [contentType, countWords(bytes, "byte"), ...(filename === undefined ? [] : [filename])].join(", ");
}

function shapeText(text: string, { full }: Room): ShapedOutput {
  const lines = text.split("\n");
  if (full || lines.length <= MOST_LINES) return { kind: "lines", lines };
  const leftOut = countWords(lines.length - MOST_LINES, "more line");
  return { kind: "lines", lines: lines.slice(0, MOST_LINES), leftOut: `… ${leftOut}` };
}

function shapeTable(tabular: Tabular, { columns: available, full, linear }: Room): ShapedOutput {
  const rows = full ? tabular.rows : tabular.rows.slice(0, MOST_ROWS);
  const columns = full || linear ? tabular.columns : chooseColumns({ ...tabular, rows }, available);
  const hidden = tabular.columns.slice(columns.length).map(({ name }) => name);
  const leftOut = [
    ...(rows.length < tabular.rows.length ? [countWords(tabular.rows.length - rows.length, "more row")] : []),
    ...(hidden.length > 0 ? [`the ${hidden.length === 1 ? "column" : "columns"} ${hidden.join(", ")}`] : []),
  ];
  return {
    kind: "table",
    tabular: { ...tabular, rows },
    columns,
    ...(leftOut.length > 0 && { leftOut: `… ${leftOut.join(" and ")}` }),
  };
}

/** A column of text is of use from here on; what is longer may be cut. */
const LEAST_TEXT = 12;

/** The first columns that fit side by side, numbers whole; those that do not are left out. At least one. */
function chooseColumns({ columns, rows }: Tabular, available: number): TabularColumn[] {
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
