/** The order of two texts by their UTF-16 units: the same on every machine, unlike that of a locale. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
