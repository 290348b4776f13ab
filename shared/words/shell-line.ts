import { toPrintable } from "../hints/printable.ts";
import { quoteWord } from "../hints/shell-words.ts";

/** Words that every shell reads as they are where we put them: behind `mkt`, as flags and `key=value`. */
const plain = /^[A-Za-z0-9_./:-][A-Za-z0-9_./:=,-]*$/;

/** Words as one line that a POSIX shell reads back as the same words. */
export function shellLine(...words: readonly string[]): string {
  return words
    .map((word) => toPrintable(word))
    .map((word) => (plain.test(word) ? word : quoteWord(word)))
    .join(" ");
}
