import stringWidth from "string-width";

/**
 * Running text as lines of at most so many columns, broken between words; ink's own breaking leaves spaces at the beginning
 * of lines. A word that is wider has a line of its own.
 */
export function breakLines(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && stringWidth(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
