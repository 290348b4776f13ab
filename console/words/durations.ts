/** A time span in the numbers of the reader's place: `12 ms`, `1.5 s`, `2 min 5 s`, `3 h 20 min`. */
export function durationText(ms: number, locale?: string): string {
  const number = (value: number, digits = 0) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
  if (ms < 1_000) return `${number(Math.round(ms))} ms`;
  if (ms < 59_950) return `${number(ms / 1_000, 1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${number(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}
