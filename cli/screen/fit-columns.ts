/** What a column of a table would like to have, and what it can do with. */
export interface ColumnNeed {
  readonly natural: number;
  readonly least: number;
}

/** Columns between two columns. */
export const COLUMN_GAP = 2;

/**
 * Widths for columns side by side, in their order, within `available`: what is too much is taken of the widest that still
 * have more than their least. Undefined where even the least do not fit.
 */
export function fitColumns(needs: readonly ColumnNeed[], available: number): number[] | undefined {
  const gaps = COLUMN_GAP * Math.max(0, needs.length - 1);
  if (sumOf(needs.map(({ least }) => least)) + gaps > available) return undefined;
  const widths = needs.map(({ natural }) => natural);
  for (let excess = sumOf(widths) + gaps - available; excess > 0; excess--) {
    const widest = Math.max(...widths.filter((width, index) => width > (needs[index]?.least ?? 0)));
    const giving = widths.findLastIndex((width, index) => width === widest && width > (needs[index]?.least ?? 0));
    widths[giving] = widest - 1;
  }
  return widths;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
