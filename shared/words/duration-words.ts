/** Writes a number with so many digits behind its decimal sign. */
export type WriteNumber = (value: number, digits: number) => string;

const plainly: WriteNumber = (value, digits) => value.toFixed(digits);

/** A time span in one short phrase: `12 ms`, `1.5 s`, `2 min 5 s`, `3 h 20 min`. */
export function durationWords(ms: number, write = plainly): string {
  if (ms < 1000) return `${write(Math.round(ms), 0)} ms`;
  if (ms < 59_950) return `${write(ms / 1000, 1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${write(Math.floor(minutes / 60), 0)} h ${minutes % 60} min`;
}
