import { foldWord } from "../analyse-text.ts";
import { stemWord } from "../stem-word.ts";
import { lightStem } from "./light-stem.ts";
import { namesOf } from "./place-names.ts";
import { QUERY_LANGUAGES, type QueryLanguage } from "./query-languages.ts";
import { CITY_NAMES } from "./words/city-names.ts";
import { DETAILS } from "./words/details.ts";
import { EVERYDAY } from "./words/everyday.ts";
import { FUNCTION_WORDS } from "./words/function-words.ts";
import { KNOWLEDGE_AND_SOFTWARE } from "./words/knowledge-and-software.ts";
import { MONEY_AND_SOCIETY } from "./words/money-and-society.ts";
import { NATURE_AND_PLACES } from "./words/nature-and-places.ts";
import { TIME_AND_MEASURE } from "./words/time-and-measure.ts";

/** What a word or phrase of another language is in English. */
export interface Translation {
  /** English words, separated by spaces. */
  readonly english: string;
  /** "detail": says when, how many or of what kind. */
  readonly kind: "subject" | "detail" | "name" | "function";
}

/** The words and phrases of one language. */
export interface Lexicon {
  readonly language: QueryLanguage;
  /** Of words in a row, folded: first as they are written, then without articles and prepositions, then by stems. */
  find(words: readonly string[]): Translation | undefined;
  /** Of one word that can be a part of others, in any of its forms: a subject or a detail. */
  partOf(word: string): string | undefined;
  /** Whether it occurs in a word or phrase here, itself or another of its forms. */
  has(word: string): boolean;
  /** Whether it occurs in a word or phrase here as it is. */
  hasExactly(word: string): boolean;
  /** Whether it is a name only: of a country, a city, a currency. */
  isOnlyName(word: string): boolean;
  /** The most words that a phrase has. */
  readonly longest: number;
}

/** By how they are separated in a query, so that phrases of the lexicon and of queries are the same words. */
export const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

const TABLES: readonly (readonly [table: string, kind: Translation["kind"]])[] = [
  [NATURE_AND_PLACES, "subject"],
  [MONEY_AND_SOCIETY, "subject"],
  [KNOWLEDGE_AND_SOFTWARE, "subject"],
  [TIME_AND_MEASURE, "subject"],
  [EVERYDAY, "subject"],
  [DETAILS, "detail"],
  [FUNCTION_WORDS, "function"],
  [CITY_NAMES, "name"],
];

/** Phrases are compared without the words for these. */
const LINKS: ReadonlySet<string> = new Set(["the", "a", "of", "in", "to", "for", "on", "by"]);

/** The rows of each table, a cell for each language, English first. */
const rowsOfTable = new Map<string, readonly string[][]>();

export interface Languages {
  readonly lexicons: readonly Lexicon[];
  /** The stems of every English word that something is translated into. */
  readonly englishStems: ReadonlySet<string>;
}

let languages: Languages | undefined;

/** All languages; read once. Unless `readLanguagesInSteps` has done so, the first call takes some tenths of a second. */
export function allLanguages(): Languages {
  if (languages !== undefined) return languages;
  const steps = readLanguagesInSteps();
  while (steps.next().done !== true);
  return allLanguages();
}

/** Reads the tables for `allLanguages`, in steps of about a table's row each. */
export function* readLanguagesInSteps(): Generator<void, void> {
  if (languages !== undefined) return;
  const englishStems = yield* stemEnglish();
  const lexicons: Lexicon[] = [];
  for (const language of QUERY_LANGUAGES) lexicons.push(yield* compileLexicon(language));
  languages ??= { lexicons, englishStems };
}

function* stemEnglish(): Generator<void, ReadonlySet<string>> {
  const stems = new Set<string>();
  for (const [table, kind] of TABLES) {
    if (kind === "name") continue;
    for (const [english = ""] of rowsOf(table)) {
      for (const word of foldedWords(english)) stems.add(stemWord(word));
      yield;
    }
  }
  return stems;
}

function* compileLexicon(language: QueryLanguage): Generator<void, Lexicon> {
  const column = QUERY_LANGUAGES.indexOf(language) + 1;
  const links = new Set(
    rowsOf(FUNCTION_WORDS).flatMap((row) => (LINKS.has(row[0] ?? "") ? wordsIn(row[column]).map(foldWord) : [])),
  );
  const [exact, linkless, stemmed] = [newTable(), newTable(), newTable()];
  const forms = new Set<string>();
  const stems = new Set<string>();
  const named = new Set<string>();
  let longest = 1;

  function add(phrase: string, translation: Translation): void {
    const words = foldedWords(phrase);
    const bare = withoutLinks(words);
    longest = Math.max(longest, words.length);
    put(exact, words, translation);
    if (bare.length < words.length) put(linkless, bare, translation);
    const itsStems = words.map(stem);
    if (translation.kind !== "function")
      put(stemmed, bare.length < words.length ? bare.map(stem) : itsStems, translation);
    for (const word of words) (translation.kind === "name" ? named : forms).add(word);
    if (translation.kind !== "name") for (const each of itsStems) stems.add(each);
  }
  const stem = (word: string) => lightStem(word, language);
  const withoutLinks = (words: readonly string[]) => {
    const bare = words.filter((word) => !links.has(word));
    return bare.length === 0 ? words : bare;
  };

  for (const [table, kind] of TABLES) {
    for (const row of rowsOf(table)) {
      for (const phrase of wordsIn(row[column])) {
        for (const spelling of spellingsOf(phrase, language)) add(spelling, { english: row[0] ?? "", kind });
      }
      yield;
    }
  }
  for (const { name, english } of namesOf(language)) {
    add(name, { english, kind: "name" });
    yield;
  }

  return {
    language,
    longest,
    find(words) {
      const found = exact.get(words.join(" "));
      if (found !== undefined) return found;
      // "de la" has only links; and a phrase neither begins nor ends with one that does not belong to it.
      if (links.has(words[0] ?? "") || links.has(words.at(-1) ?? "")) return undefined;
      const bare = withoutLinks(words);
      const key = bare.join(" ");
      return (
        linkless.get(key) ??
        (bare.length < words.length ? exact.get(key) : undefined) ??
        stemmed.get(bare.map(stem).join(" "))
      );
    },
    partOf(word) {
      const found = exact.get(word) ?? stemmed.get(stem(word));
      return found?.kind === "subject" || found?.kind === "detail" ? found.english : undefined;
    },
    has: (word) => forms.has(word) || named.has(word) || stems.has(stem(word)),
    hasExactly: (word) => forms.has(word) || named.has(word),
    isOnlyName: (word) => named.has(word) && !forms.has(word),
  };
}

type Table = Map<string, Translation>;

function newTable(): Table {
  return new Map();
}

/** The first translation of a phrase stays: subjects come before function words. */
function put(table: Table, words: readonly string[], translation: Translation): void {
  const key = words.join(" ");
  if (key !== "" && !table.has(key)) table.set(key, translation);
}

/** German is also written without its umlauts: "Muenchen". */
function spellingsOf(phrase: string, language: QueryLanguage): string[] {
  const plain = language === "German" ? phrase.replace(/[äöü]/giu, (letter) => `${foldWord(letter)}e`) : phrase;
  return plain === phrase ? [phrase] : [phrase, plain];
}

function rowsOf(table: string): readonly string[][] {
  const rows =
    rowsOfTable.get(table) ??
    table
      .trim()
      .split("\n")
      .map((row) => row.split(" | "));
  rowsOfTable.set(table, rows);
  return rows;
}

function wordsIn(cell: string | undefined): string[] {
  return (cell ?? "")
    .split(",")
    .flatMap((phrase) => (phrase.trim() === "" || phrase.trim() === "-" ? [] : [phrase.trim()]));
}

function foldedWords(text: string): string[] {
  return (text.match(WORDS) ?? []).map(foldWord);
}
