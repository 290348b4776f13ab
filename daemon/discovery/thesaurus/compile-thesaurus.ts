import { setImmediate as nextTurn } from "node:timers/promises";
import type { ThesaurusData, ThesaurusRelation } from "../../catalog/thesaurus/thesaurus-file.ts";
import { analyseQuery, type QueryWord, readQuery } from "../../text/analyse-text.ts";
import { isWeakWord } from "../../text/stop-words.ts";

/** A word or phrase that can stand for a word of the query. */
export interface Target {
  /** As the thesaurus has it; for explanations. */
  readonly text: string;
  /** At least one; for a phrase, all of them are required. */
  readonly stems: readonly string[];
  /** Above 0 and up to 1. */
  readonly weight: number;
}

/** Adjacent words that lead to others. */
export interface Phrase {
  /** At least one, in order. */
  readonly stems: readonly string[];
  /** Best first. */
  readonly targets: readonly Target[];
}

/** A thesaurus by the stems of queries. Phrases are listed under their first stem, the longest first. */
export type Thesaurus = ReadonlyMap<string, readonly Phrase[]>;

/** Used without a thesaurus. */
export const NO_THESAURUS: Thesaurus = new Map();

/** A phrase may lead to at most this many others, the best ones: a word that may mean anything says nothing. */
const MAX_TARGETS = 16;

const RELATIONS_AT_ONCE = 16;

interface Analysed {
  readonly text: string;
  /** Of all its words; empty when a text has only stop words. */
  readonly stems: readonly string[];
  /** The significant ones, by which endpoints are looked up. */
  readonly tellingStems: readonly string[];
}

interface GatheredTerms {
  readonly stems: readonly string[];
  /** By their stems. */
  readonly targets: Map<string, Target>;
}

/**
 * Compiles a thesaurus for comparison with queries. For the same two terms the last entry wins, whatever their
 * inflection.
 */
export function compileThesaurus(data: ThesaurusData): Thesaurus {
  const steps = compileInSteps(data);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** As `compileThesaurus`; a step takes some milliseconds. */
function* compileInSteps(data: ThesaurusData): Generator<void, Thesaurus> {
  const analyse = createTermAnalyser();
  const phrases = new Map<string, GatheredTerms>();
  for (const [place, relation] of data.entries()) {
    gather(relation, phrases, analyse);
    if (place % RELATIONS_AT_ONCE === 0) yield;
  }
  return byFirstStem(phrases);
}

function byFirstStem(phrases: ReadonlyMap<string, GatheredTerms>): Thesaurus {
  const byFirst = new Map<string, Phrase[]>();
  for (const { stems, targets } of phrases.values()) {
    const [first] = stems;
    const best = [...targets.values()].sort((a, b) => b.weight - a.weight).slice(0, MAX_TARGETS);
    if (first === undefined || best.length === 0) continue;
    byFirst.set(first, [...(byFirst.get(first) ?? []), { stems, targets: best }]);
  }
  for (const others of byFirst.values()) others.sort((a, b) => b.stems.length - a.stems.length);
  return byFirst;
}

/** The current thesaurus, compiled for queries. */
export interface CurrentThesaurus {
  /** Compiles what was not prepared. */
  current(): Thesaurus;
  /** Compiles the current thesaurus in the background. */
  prepare(): Promise<void>;
}

/**
 * Compiles once whenever `read` returns a different thesaurus: a query in the meantime continues the compilation that
 * was begun.
 */
export function createThesaurus(read: () => ThesaurusData): CurrentThesaurus {
  let data: ThesaurusData | undefined;
  let steps = compileInSteps([]);
  let thesaurus: Thesaurus | undefined;

  /** Whether there is more to do for the current thesaurus. */
  function advance(): boolean {
    const now = read();
    if (now !== data) {
      data = now;
      steps = compileInSteps(now);
      thesaurus = undefined;
    }
    if (thesaurus !== undefined) return false;
    const step = steps.next();
    if (step.done === true) thesaurus = step.value;
    return step.done !== true;
  }

  return {
    current() {
      while (advance());
      return thesaurus ?? NO_THESAURUS;
    },
    async prepare() {
      while (advance()) await nextTurn();
    },
  };
}

function gather(
  { asked, called, weight }: ThesaurusRelation,
  phrases: Map<string, GatheredTerms>,
  analyse: (term: string) => Analysed,
): void {
  const targets = called
    .map(analyse)
    .filter(({ tellingStems }) => tellingStems.length > 0)
    .map(({ text, tellingStems }) => ({ key: keyOf(tellingStems), target: { text, stems: tellingStems, weight } }));
  for (const stems of asked.map(analyse).map(askedStems)) {
    if (stems.length === 0) continue;
    const askedKey = keyOf(stems);
    const phrase = phrases.get(askedKey) ?? { stems, targets: new Map<string, Target>() };
    phrases.set(askedKey, phrase);
    for (const { key, target } of targets) {
      if (target.stems.every((stem) => stems.includes(stem))) continue;
      if (weight === 0) phrase.targets.delete(key);
      else phrase.targets.set(key, target);
    }
  }
}

/**
 * A term with only stop words is an opening of a question and is listed under these words; empty when it opens no
 * question.
 */
function askedStems({ text, stems }: Analysed): readonly string[] {
  if (stems.length > 0) return stems;
  const { opening } = readQuery(text);
  return opening === "" ? [] : [opening];
}

/** The terms use the same few thousand words, so each is analysed once. */
function createTermAnalyser(): (term: string) => Analysed {
  const words = new Map<string, Analysed>();
  const terms = new Map<string, Analysed>();
  const analyseWord = (written: string) => {
    const analysed = words.get(written) ?? analyseWords(written);
    words.set(written, analysed);
    return analysed;
  };
  return (text) => {
    const analysed = terms.get(text) ?? joinWords(text, text.split(/\s+/).map(analyseWord));
    terms.set(text, analysed);
    return analysed;
  };
}

function analyseWords(text: string): Analysed {
  const words = analyseQuery(text);
  return {
    text,
    stems: words.flatMap(wholeStem),
    tellingStems: words.filter((word) => !isWeakWord(word.text)).flatMap(wholeStem),
  };
}

/** As `analyseWords` returns it for the whole text: a query has each stem once. */
function joinWords(text: string, words: readonly Analysed[]): Analysed {
  const [only] = words;
  if (words.length === 1 && only !== undefined) return only;
  return {
    text,
    stems: [...new Set(words.flatMap(({ stems }) => stems))],
    tellingStems: [...new Set(words.flatMap(({ tellingStems }) => tellingStems))],
  };
}

/** For an identifier or a word with digits ("pm10"): the whole, which comes first, without its parts. */
function wholeStem({ stems }: QueryWord): readonly string[] {
  return stems.slice(0, 1);
}

function keyOf(stems: readonly string[]): string {
  return stems.join(" ");
}
