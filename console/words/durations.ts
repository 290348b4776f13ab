import { durationWords } from "../../shared/words/duration-words.ts";

/** A time span in the numbers of the reader's place: `12 ms`, `1.5 s`, `2 min 5 s`, `3 h 20 min`. */
export function durationText(ms: number, locale?: string): string {
  return durationWords(ms, (value, digits) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value),
  );
}
