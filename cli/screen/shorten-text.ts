import stringWidth from "string-width";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The longest word that a cut may take away whole, to leave no part of it. */
const LONGEST_WORD = 15;

/** The text in at most so many columns; one that is cut ends in `…`. */
export function cutText(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The same, cut between two words where they are short enough. */
export function shortenText(text: string, columns: number): string {
  const cut = cutText(text, columns);
  if (cut === text) return text;
  const kept = cut.slice(0, -1);
  const lastSpace = kept.lastIndexOf(" ");
  const whole = lastSpace > 0 && kept.length - lastSpace <= LONGEST_WORD ? kept.slice(0, lastSpace) : kept;
  return `${whole.trimEnd()}…`;
}
