/**
 * The words of a command line up to the cursor as a POSIX shell reads them, the last being the one at the cursor ("" behind
 * a blank). Quotes that are still open count as closed at the end; nothing is expanded.
 */
export function splitLine(line: string): string[] {
  const words: string[] = [];
  let word = "";
  for (const [piece, single, double, escaped, blank] of line.matchAll(pieces)) {
    if (blank !== undefined) {
      words.push(word);
      word = "";
    } else if (double !== undefined) word += double.replace(/\\(["\\$`])/g, "$1");
    else word += single ?? escaped ?? piece;
  }
  return [...words, word];
}

/** 'single', "double", \escaped, blanks, or a plain letter. */
const pieces = /'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|\\(.)|(\s+)|[^]/g;
