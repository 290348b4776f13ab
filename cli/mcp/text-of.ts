/**
 * Lines as one text. Descriptions, notes and messages of others stay on the line that says what they are: none of them can
 * add a line that looks like ours, such as a next step. Pure.
 */
export function textOf(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/\s*[\r\n\v\f\u0085\u2028\u2029]+\s*/g, " ")).join("\n");
}
