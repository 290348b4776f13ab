import { splitIdentifier } from "./split-identifier.ts";
import { stemWord } from "./stem-word.ts";
import { STOP_WORDS } from "./stop-words.ts";

const MAX_WORD_LENGTH = 40;
/** Scripts without spaces between words: their runs are cut into pairs of characters. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
/** A run of letters, marks and digits, either all in such scripts or none. */
const WORD = new RegExp(
  `(?:(?=${UNSPACED.source})[\\p{L}\\p{M}\\p{N}])+|(?:(?!${UNSPACED.source})[\\p{L}\\p{M}\\p{N}])+`,
  "gu",
);

/** The same in ASCII, where it takes a tenth of the time. */
const ASCII_WORD = /[A-Za-z0-9]+/g;
const ASCII = /^[\n\r\t\x20-\x7e]*$/;

/** A word of a query, and the stems that may stand for it. */
export interface QueryWord {
  /** As the caller wrote it, folded; for explanations. */
  readonly text: string;
  /** The stem; for an identifier such as "getUserName", its parts and the whole. At least one. */
  readonly stems: readonly string[];
  /** Whether it begins with a capital inside a sentence: "Lisbon". */
  readonly isName: boolean;
}

/** The stems of a text in order, with repeats and without stop words: what the index stores of a field. */
export function analyseText(text: string): string[] {
  return stemsIn(text, stemsOfWritten);
}

/** As `analyseText`, for many texts: each word is analysed once. Remembers all words that it has seen. */
export function createTextAnalyser(): (text: string) => string[] {
  const known = new Map<string, readonly string[]>();
  const stemsOfKnown = (written: string) => {
    const stems = known.get(written) ?? stemsOfWritten(written);
    known.set(written, stems);
    return stems;
  };
  return (text) => stemsIn(text, stemsOfKnown);
}

function stemsIn(text: string, stemsOfOne: (written: string) => readonly string[]): string[] {
  const plain = withoutGenitive(text);
  return (plain.match(wordsOf(plain)) ?? []).flatMap(stemsOfOne);
}

function stemsOfWritten(written: string): readonly string[] {
  const folded = foldWord(written);
  return (isUnspaced(folded) ? pairsOf(folded) : partsOf(written, folded)).flatMap(stemsOf);
}

function wordsOf(text: string): RegExp {
  return ASCII.test(text) ? ASCII_WORD : WORD;
}

function isUnspaced(word: string): boolean {
  return !ASCII.test(word) && UNSPACED.test(word);
}

/** Soft hyphens, joiners and byte-order marks: they are invisible and do not separate words. */
const UNSEEN = /[\u00ad\u200b-\u200d\u2060\ufeff]/gu;

function withoutGenitive(text: string): string {
  const seen = ASCII.test(text) ? text : text.replace(UNSEEN, "");
  return seen.replace(/[’']s\b/gu, "");
}

/** The words of a query, each once, without stop words; empty when it has only those. */
export function analyseQuery(text: string): QueryWord[] {
  return oncePerStem(readQuery(text).words);
}

/** A query as it was written. */
export interface WrittenQuery {
  /**
   * As from `analyseQuery`, but in the order of the text and with repeats: their stems in sequence are those of
   * `analyseText`.
   */
  readonly words: readonly QueryWord[];
  /**
   * The stop words at its beginning, folded, without articles: "where is" for "Where is the Louvre"; empty for fewer
   * than two, as one alone says nothing.
   */
  readonly opening: string;
}

export function readQuery(text: string): WrittenQuery {
  const split = splitWords(text);
  const telling = split.findIndex(({ folded }) => !STOP_WORDS.has(folded));
  const opening = split
    .slice(0, telling < 0 ? split.length : telling)
    .map(({ folded }) => folded)
    .filter((word) => !ARTICLES.has(word));
  return {
    words: split.flatMap(({ folded, parts, isName }) => {
      const stems = parts.flatMap(stemsOf);
      return stems.length === 0 ? [] : { text: folded, stems, isName };
    }),
    opening: opening.length < 2 ? "" : opening.join(" "),
  };
}

const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the"]);

/** Lower case, with compatibility forms resolved, and Latin, Greek and Cyrillic letters without their accents. */
export function foldWord(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("ß", "ss");
}

interface SplitWord {
  readonly folded: string;
  readonly parts: readonly string[];
  /** Begins with a capital inside a sentence. */
  readonly isName: boolean;
}

function splitWords(text: string): SplitWord[] {
  const words: SplitWord[] = [];
  const plain = withoutGenitive(text);
  for (const match of plain.matchAll(wordsOf(plain))) {
    const written = match[0];
    const folded = foldWord(written);
    if (isUnspaced(folded)) {
      words.push(...pairsOf(folded).map((pair) => ({ folded: pair, parts: [pair], isName: false })));
      continue;
    }
    const isName = /^\p{Lu}\p{Ll}/u.test(written) && !startsSentence(plain, match.index);
    words.push({ folded: cut(folded), parts: partsOf(written, folded), isName });
  }
  return words;
}

/**
 * The word itself, and if an identifier or digits were joined to it, the parts too: `userId2` → userid2, user, id, 2.
 */
function partsOf(written: string, folded: string): string[] {
  const pieces = splitIdentifier(written, foldWord);
  return pieces.length > 1 ? [cut(folded), ...pieces.map(cut)] : [cut(folded)];
}

function pairsOf(run: string): string[] {
  const characters = [...run].slice(0, MAX_WORD_LENGTH * MAX_WORD_LENGTH);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, before) => `${characters[before] ?? ""}${character}`);
}

function stemsOf(word: string): string[] {
  return STOP_WORDS.has(word) ? [] : [stemWord(word)];
}

/** "city cities" counts as one word: the first word of a stem stays, and is a name if all of them are. */
function oncePerStem(words: readonly QueryWord[]): QueryWord[] {
  const byStem = new Map<string, QueryWord>();
  for (const word of words) {
    const stems = [...new Set(word.stems)];
    const key = stems.join(" ");
    const earlier = byStem.get(key);
    byStem.set(key, { ...(earlier ?? word), stems, isName: word.isName && earlier?.isName !== false });
  }
  return [...byStem.values()];
}

function startsSentence(text: string, index: number): boolean {
  return /(?:^|[.!?:;\n"“(])\s*$/u.test(text.slice(Math.max(0, index - 4), index));
}

function cut(word: string): string {
  return word.slice(0, MAX_WORD_LENGTH);
}
