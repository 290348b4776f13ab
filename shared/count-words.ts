/** `1 file`, `2 files`, `0 entries`. */
export function countWords(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
