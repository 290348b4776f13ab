import stringWidth from "string-width";

/** Our own signs, and those that texts of others have most, each as wide as what stands for it. */
const standIns: Readonly<Record<string, string>> = {
  "…": "~",
  "–": "-",
  "—": "-",
  "−": "-",
  "·": "|",
  "•": "*",
  "×": "x",
  "→": ">",
  "←": "<",
  "↑": "^",
  "↓": "v",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "\u00a0": " ",
  "░": ".",
  "█": "#",
  "▁": "_",
  "▂": ".",
  "▃": "-",
  "▄": "=",
  "▅": "+",
  "▆": "*",
  "▇": "%",
};

const marks = /\p{M}+/gu;
// eslint-disable-next-line no-control-regex -- all of ASCII is what stays, escape sequences included
const ascii = /^[\u0000-\u007f]*$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The text for a terminal that shows ASCII alone, as wide as before: letters lose their marks, and what has no likeness
 * becomes a question mark for each column.
 */
export function toAscii(text: string): string {
  if (ascii.test(text)) return text;
  let shown = "";
  for (const { segment } of graphemes.segment(text)) shown += ascii.test(segment) ? segment : standInFor(segment);
  return shown;
}

function standInFor(grapheme: string): string {
  const standIn = standIns[grapheme];
  if (standIn !== undefined) return standIn;
  const width = stringWidth(grapheme);
  const bare = grapheme.normalize("NFKD").replace(marks, "");
  return ascii.test(bare) && bare.length === width ? bare : "?".repeat(width);
}
