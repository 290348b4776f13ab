import { usageError } from "../../core/cli-error.ts";
import { formatOfName, type RowFormat } from "../read-rows.ts";

/** How results are written to a file. */
export type ResultsFormat = RowFormat | "sqlite" | "xlsx";

/** By the end of the name. Throws a usage error where it says nothing. */
export function formatOfResults(path: string): ResultsFormat {
  if (/\.(sqlite3?|db)$/i.test(path)) return "sqlite";
  if (/\.xlsx$/i.test(path)) return "xlsx";
  const format = formatOfName(path);
  if (format !== undefined) return format;
  throw usageError(
    `${path} is neither .jsonl, .csv, .sqlite nor .xlsx: the end of the name says how the results are written.`,
  );
}

/** Throws a usage error for a name that the table of a database, or the sheet of a spreadsheet, cannot have. */
export function checkTable(path: string | undefined, table: string): void {
  const format = path === undefined || path === "-" ? undefined : formatOfResults(path);
  if (format === "sqlite") return checkTableName(table);
  if (format === "xlsx") return checkSheetName(table);
  throw usageError("--table is for results in a database or a spreadsheet: -o results.sqlite or -o results.xlsx");
}

function checkTableName(name: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name) && !/^sqlite_/i.test(name)) return;
  throw usageError(`--table must be a name of letters, digits and _, not "${name}".`);
}

/** Excel's rules; it also keeps the name History for itself. */
function checkSheetName(name: string): void {
  const isTaken = /^history$/i.test(name) || name.startsWith("'") || name.endsWith("'");
  if (/^[^[\]:*?/\\\p{Cc}\p{Cs}]{1,31}$/u.test(name) && name.length <= 31 && name.trim() !== "" && !isTaken) return;
  throw usageError(
    `A sheet cannot have the name "${name}": at most 31 characters, none of [ ] : * ? / \\, no apostrophe at its ends, and not History.`,
  );
}
