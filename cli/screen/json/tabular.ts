import { isRecord } from "../../../shared/is-record.ts";

export interface TabularColumn {
  readonly name: string;
  /** Whether all that is in it are numbers. */
  readonly isNumeric: boolean;
}

/** Data that reads best as a table. */
export interface Tabular {
  /** The member that the rows were in; undefined where they are the whole. */
  readonly name: string | undefined;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Every member that some row has, in the order in which they come. */
  readonly columns: readonly TabularColumn[];
  /** What stands beside the rows. */
  readonly others: readonly (readonly [name: string, value: unknown])[];
}

/**
 * An array of flat objects as a table, or an object of which one member is such an array and no other holds more than a
 * value; undefined for all else.
 */
export function toTabular(output: unknown): Tabular | undefined {
  if (isRowList(output)) return { name: undefined, rows: output, columns: columnsOf(output), others: [] };
  if (!isRecord(output)) return undefined;
  const members = Object.entries(output);
  const others = members.filter(([, value]) => isScalar(value));
  const [found, ...more] = members.filter(([, value]) => !isScalar(value));
  if (found === undefined || more.length > 0) return undefined;
  const [name, rows] = found;
  return isRowList(rows) ? { name, rows, columns: columnsOf(rows), others } : undefined;
}

type Row = Readonly<Record<string, unknown>>;

function isRowList(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.length > 0 && value.every(isFlat) && value.some(hasMembers);
}

function isFlat(value: unknown): value is Row {
  return isRecord(value) && Object.values(value).every(isCell);
}

function hasMembers(row: Row): boolean {
  return Object.keys(row).length > 0;
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** A list of values still fits one cell. */
function isCell(value: unknown): boolean {
  return isScalar(value) || (Array.isArray(value) && value.every(isScalar));
}

function columnsOf(rows: readonly Row[]): TabularColumn[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].map((name) => ({ name, isNumeric: isNumeric(rows.map((row) => row[name])) }));
}

function isNumeric(values: readonly unknown[]): boolean {
  const known = values.filter((value) => value !== undefined && value !== null);
  return known.length > 0 && known.every((value) => typeof value === "number");
}

/** What stands in a cell; nothing for what is not there. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return Array.isArray(value) ? value.map(cellText).join(", ") : String(value);
}
