/**
 * Characters that no screen shows and that programs and models read: zero-width spaces, soft hyphens, byte order marks,
 * fillers, invisible operators, tag characters, spare joiners and variation selectors. A name may hide in them that it is
 * another's, and a text instructions to a model ("ASCII smuggling"). What writing needs of them stays:
 *
 * | Character | Stays |
 * |---|---|
 * | ZWJ, ZWNJ | between letters of a script that joins them (Arabic, Devanagari …); ZWJ after a virama at a word's end too |
 * | ZWJ | between two emoji |
 * | U+FE0E, U+FE0F | one, after what can be an emoji; U+FE00 after a mathematical sign |
 * | U+FE00–U+FE02, U+E0100–U+E011F | one, after an ideograph (compatibility forms, names in Japanese) |
 * | U+180B–U+180D, U+180F | one, after a Mongolian letter |
 * | tag characters | in the three flags that are made of them: England, Scotland, Wales |
 *
 * Source: docs/security.md, T26; Unicode's Default_Ignorable_Code_Point, of which this is all but the control characters that
 * have rules of their own.
 */

const LINE_BREAKS = /[\u2028\u2029]/g;

const HIDDEN =
  "[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]";

/** Whether a text has any of them at all; most texts have none. */
const SUSPECT = new RegExp(HIDDEN, "u");

const JOINING_SCRIPTS = [
  "Adlam",
  "Arabic",
  "Balinese",
  "Bengali",
  "Chakma",
  "Devanagari",
  "Grantha",
  "Gujarati",
  "Gurmukhi",
  "Hanifi_Rohingya",
  "Javanese",
  "Kannada",
  "Khmer",
  "Malayalam",
  "Mandaic",
  "Meetei_Mayek",
  "Mongolian",
  "Myanmar",
  "Newa",
  "Nko",
  "Oriya",
  "Phags_Pa",
  "Sinhala",
  "Syriac",
  "Tamil",
  "Telugu",
  "Tibetan",
  "Tirhuta",
];
const joining = `(?=[\\p{L}\\p{M}])[${JOINING_SCRIPTS.map((script) => `\\p{scx=${script}}`).join("")}]`;
const virama = "[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]";
const emoji = "\\p{Extended_Pictographic}";

const KEPT = [
  // Between letters; at a word's end after a virama.
  `(?<=${joining})[\\u200c\\u200d](?=${joining})`,
  `(?<=${virama})\\u200d(?![\\u200b-\\u200d\\u2060])`,
  // For example a family, a rainbow flag, a woman at work.
  `(?<=(?:${emoji}|\\p{Emoji_Modifier})\\ufe0f?)\\u200d(?=${emoji})`,
  `(?<=\\p{Emoji})[\\ufe0e\\ufe0f]`,
  `(?<=\\p{Sm})\\ufe00`,
  `(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e011f}]`,
  `(?<=\\p{Script=Mongolian})(?<![\\u180b-\\u180f])[\\u180b-\\u180d\\u180f]`,
  // England, Scotland, Wales.
  `\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}`,
].join("|");

let pattern: RegExp | undefined;

/** The text with each hidden character replaced, also within a run of them; U+2028 and U+2029 become line breaks. */
export function replaceHidden(text: string, replacement: (hidden: string) => string): string {
  if (!SUSPECT.test(text)) return text;
  pattern ??= new RegExp(`(${KEPT})|${HIDDEN}`, "gu");
  return text.replace(pattern, (found, kept: string | undefined) => kept ?? replacement(found));
}

/** The text as people see it: without hidden characters, and with plain line breaks. */
export function visibleText(text: string): string {
  return replaceHidden(text.replace(LINE_BREAKS, "\n"), () => "");
}

/** A JSON value with every text as people see it, including member names. Pure. */
export function withoutHiddenText<Value>(value: Value): Value;
export function withoutHiddenText(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (Array.isArray(value)) return value.map((item) => withoutHiddenText(item as unknown));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [visibleText(name), withoutHiddenText(member as unknown)]),
  );
}
