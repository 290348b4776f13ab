/** The value of a cell; undefined is an empty cell. */
export type CsvValue = string | number | boolean | undefined;

const isNumber = /^[+-]?\d+(?:\.\d+)?$/;

/** One record with its line end, as in RFC 4180. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cellOf).join(",")}\r\n`;
}

function cellOf(value: CsvValue): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? harmless(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet takes a text that begins with one of these for a formula, and runs it when the file is opened. An
 * apostrophe makes it a text. Some programs skip tabs and carriage returns first. A number, such as a latitude, is none.
 */
function harmless(text: string): string {
  return /^[=+\-@\t\r＝＋－＠]/.test(text) && !isNumber.test(text) ? `'${text}` : text;
}
