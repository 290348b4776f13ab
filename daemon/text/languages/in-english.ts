import { foldWord } from "../analyse-text.ts";
import { stemWord } from "../stem-word.ts";
import { STOP_WORDS } from "../stop-words.ts";
import { partsInEnglish } from "./compound-words.ts";
import { FALSE_FRIENDS } from "./false-friends.ts";
import { allLanguages, type Lexicon, type Translation, WORDS } from "./lexicon.ts";
import type { QueryLanguage } from "./query-languages.ts";

/** A query of another language, word by word in English. */
export interface InEnglish {
  readonly language: QueryLanguage;
  /** In the order of the query; words without a translation, such as names, stay as they are written. */
  readonly text: string;
  /** The stems that were translated, with the words that they stand for, folded. */
  readonly translated: ReadonlyMap<string, string>;
  /** The words that were translated and are not English too, folded: a catalog may have them. */
  readonly originals: readonly string[];
}

/** Further words are left as they are, and say nothing about the language. */
const MOST_WORDS = 80;

/** What a name, or a single letter, says about the language; another word says 1. */
const WEAK_EVIDENCE = 0.5;

/**
 * A query in English, if it is in another language that discovery understands; undefined for all others. A query is
 * only taken for another language if more of its words belong to that language alone than to English alone.
 *
 * `isEnglish`: whether a stem is an English word, as far as the caller knows. It keeps such words from being split into
 * the parts of a compound.
 */
export function inEnglish(q: string, isEnglish: (stem: string) => boolean = () => false): InEnglish | undefined {
  const words = readWords(q);
  const lexicon = words.length === 0 ? undefined : lexiconOf(words, isEnglish);
  return lexicon === undefined ? undefined : translate(words, lexicon, isEnglish);
}

interface Word {
  readonly written: string;
  readonly folded: string;
  /** What separates it from the word before: punctuation, or a space. */
  readonly before: string;
}

/** What separates the words of a phrase: spaces, hyphens and apostrophes. */
const JOINING = /^[ \t’'`‘-]*$/u;

function readWords(q: string): Word[] {
  const words: Word[] = [];
  let end = 0;
  for (const match of q.matchAll(WORDS)) {
    if (words.length === MOST_WORDS) break;
    const between = q.slice(end, match.index);
    words.push({
      written: match[0],
      folded: foldWord(match[0]),
      before: JOINING.test(between) ? " " : between,
    });
    end = match.index + match[0].length;
  }
  return words;
}

/** What a word says about the language of a query. */
interface WordSigns {
  /** Whether an English query may have it, whatever it means in other languages. */
  readonly mayBeEnglish: boolean;
  /** For each lexicon: how well it tells that language, 0 if it is not a word of it. */
  readonly weights: readonly number[];
  /** Whether it only belongs to a language as a compound of its words. */
  readonly isCompound: boolean;
}

/** For each word of a language, so many may be of no known one. */
const MOST_STRANGE = 2;

/** Of the words that were met lately: the same ones come again and again. */
const knownSigns = new Map<string, WordSigns>();
const MOST_KNOWN = 4000;

function signsOf(word: string): WordSigns {
  const before = knownSigns.get(word);
  if (before !== undefined) return before;
  if (knownSigns.size >= MOST_KNOWN) knownSigns.clear();
  const signs = readSigns(word);
  knownSigns.set(word, signs);
  return signs;
}

function readSigns(word: string): WordSigns {
  const english = mayBeEnglish(word);
  const weights = allLanguages().lexicons.map((lexicon) => {
    if (!(english ? lexicon.hasExactly(word) : lexicon.has(word))) return 0;
    return lexicon.isOnlyName(word) || word.length < 2 ? WEAK_EVIDENCE : 1;
  });
  if (english || weights.some((weight) => weight > 0)) return { mayBeEnglish: english, weights, isCompound: false };
  const ofCompound = allLanguages().lexicons.map((lexicon) => (partsInEnglish(word, lexicon).length > 0 ? 1 : 0));
  return { mayBeEnglish: false, weights: ofCompound, isCompound: ofCompound.some((weight) => weight > 0) };
}

function mayBeEnglish(word: string): boolean {
  if (STOP_WORDS.has(word) || FALSE_FRIENDS.has(word)) return true;
  return (
    allLanguages().englishStems.has(stemWord(word)) || (word.endsWith("s") && FALSE_FRIENDS.has(word.slice(0, -1)))
  );
}

/** The language that most of the words are of; undefined for English, for unknown words, and in doubt. */
function lexiconOf(words: readonly Word[], isEnglish: (stem: string) => boolean): Lexicon | undefined {
  const signs = words
    .map(({ written, folded }) => ({ folded, isName: /^[\p{Lu}\p{N}]/u.test(written), ...signsOf(folded) }))
    .filter(({ folded, isCompound }) => !isCompound || !isEnglish(stemWord(folded)));
  if (signs.every(({ mayBeEnglish: isEither }) => isEither)) return undefined;
  let best: Lexicon | undefined;
  let most = { sure: 0, all: 0 };
  for (const [place, lexicon] of allLanguages().lexicons.entries()) {
    const evidence = weigh(signs, place);
    if (evidence.sure <= evidence.against || evidence.sure * MOST_STRANGE < evidence.strange) continue;
    if (evidence.sure > most.sure || (evidence.sure === most.sure && evidence.all > most.all)) {
      best = lexicon;
      most = evidence;
    }
  }
  return best;
}

interface Evidence {
  /** How much is of this language and not English. */
  readonly sure: number;
  /** How much is of this language. */
  readonly all: number;
  /** How many words are English and not of this language. */
  readonly against: number;
  /** How many words are of neither, names and numbers aside: Polish has words of German too. */
  readonly strange: number;
}

interface MetWord extends WordSigns {
  readonly isName: boolean;
}

function weigh(words: readonly MetWord[], place: number): Evidence {
  let [sure, all, against, strange] = [0, 0, 0, 0];
  for (const { mayBeEnglish: isEither, weights, isName } of words) {
    const weight = weights[place] ?? 0;
    all += weight;
    if (!isEither) sure += weight;
    if (weight === 0 && isEither) against += 1;
    if (weight === 0 && !isEither && !isName) strange += 1;
  }
  return { sure, all, against, strange };
}

/** What a query may ask for with nothing but names beside it: "suche lodash". */
const REQUESTS: ReadonlySet<string> = new Set(["search", "find", "compare", "convert", "calculate", "where is"]);

/** Undefined if the query has no subject that is known: a greeting, or something else than a request. */
function translate(
  words: readonly Word[],
  lexicon: Lexicon,
  isEnglish: (stem: string) => boolean,
): InEnglish | undefined {
  const pieces: string[] = [];
  const translated = new Map<string, string>();
  const originals = new Set<string>();
  let hasSubject = false;

  function note(inItsPlace: string, from: readonly Word[]): void {
    const written = from.map(({ folded }) => folded).join(" ");
    for (const word of inItsPlace.match(WORDS) ?? []) {
      const stem = stemWord(foldWord(word));
      if (!STOP_WORDS.has(foldWord(word)) && !translated.has(stem)) translated.set(stem, written);
    }
    for (const { folded } of from) {
      if (!signsOf(folded).mayBeEnglish && lexicon.find([folded])?.kind !== "function") originals.add(folded);
    }
  }

  for (let at = 0; at < words.length;) {
    const { count, found } = longestAt(words, at, lexicon);
    const [first] = words.slice(at, at + 1);
    const taken = words.slice(at, at + count);
    const parts =
      found === undefined && !isEnglish(stemWord(first?.folded ?? "")) ? ofParts(first, lexicon) : undefined;
    const known = found?.english ?? parts;
    hasSubject ||= parts !== undefined || found?.kind === "subject" || REQUESTS.has(found?.english ?? "");
    pieces.push(first?.before ?? " ", known ?? first?.written ?? "");
    if (known !== undefined) note(known, taken);
    at += count;
  }
  if (!hasSubject) return undefined;
  return { language: lexicon.language, text: pieces.join("").trim(), translated, originals: [...originals] };
}

function ofParts(word: Word | undefined, lexicon: Lexicon): string | undefined {
  const parts = word === undefined ? [] : partsInEnglish(word.folded, lexicon);
  return parts.length === 0 ? undefined : parts.join(" ");
}

/** The longest phrase that begins at a word. A phrase does not go beyond punctuation. */
function longestAt(
  words: readonly Word[],
  at: number,
  lexicon: Lexicon,
): { readonly count: number; readonly found: Translation | undefined } {
  let most = 1;
  while (most < lexicon.longest && words[at + most]?.before === " ") most += 1;
  for (let count = most; count > 0; count -= 1) {
    const found = lexicon.find(words.slice(at, at + count).map(({ folded }) => folded));
    if (found !== undefined) return { count, found };
  }
  return { count: 1, found: undefined };
}
