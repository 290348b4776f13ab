/** What a cell may hold; nothing is an empty cell. */
export type CsvValue = string | number | undefined;

/** One record with its line end, as RFC 4180 has it. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cellOf).join(",")}\r\n`;
}

function cellOf(value: CsvValue): string {
  if (value === undefined) return "";
  const text = typeof value === "number" ? String(value) : harmless(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet takes a text with one of these in front for a formula, and runs it when the file is opened; an apostrophe
 * makes it a text. Tab and carriage return are skipped by some before they look.
 */
function harmless(text: string): string {
  return /^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text;
}
