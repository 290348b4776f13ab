const FULL = "█";
const EMPTY = "░";
const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** A bar of so many columns, as full as the share says, 0 to 1; more counts as full. What is not nothing shows. */
export function bar(share: number, columns: number): string {
  const filled = share > 0 ? Math.min(columns, Math.max(1, Math.round(share * columns))) : 0;
  return FULL.repeat(filled) + EMPTY.repeat(columns - filled);
}

/** Numbers above 0 in their order, a column each, the last so many; the highest of those shown is the highest mark. */
export function sparkline(numbers: readonly number[], columns: number): string {
  const shown = numbers.slice(-columns);
  const most = Math.max(...shown, Number.MIN_VALUE);
  return shown.map((number) => LEVELS[Math.round((number / most) * (LEVELS.length - 1))] ?? LEVELS[0]).join("");
}
