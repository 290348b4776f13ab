import { stemWord } from "../../../text/stem-word.ts";
import { wordsOneSlipAway } from "../../../text/words-near.ts";

/** A query with its typing errors corrected. */
export interface Mended {
  readonly text: string;
  /** The corrected stem → the word as it was typed. */
  readonly typed: ReadonlyMap<string, string>;
}

export interface SpellingKnowledge {
  /** Whether nothing is known by this stem, so that it may be a typing error. */
  readonly isUnknown: (stem: string) => boolean;
  /** The number of documents that have the stem, if it is a word of the language; otherwise 0. */
  readonly documentsWith: (stem: string) => number;
}

/** Shorter words are close to too many others. */
const MIN_LETTERS = 5;
/** Longer strings are not words. */
const MOST_LETTERS = 20;
/**
 * The maximum number of unknown words that are checked: with more, they are not typing errors, and each takes a tenth
 * of a millisecond.
 */
const MOST_LOOKED_INTO = 4;
/**
 * Separate words in lower case: neither a name nor a part of an address, a path, an identifier or a number. The first
 * word of a text may have a capital.
 */
const PLAIN_WORD =
  /(?<=^\s*)[A-Z]?[a-z]+(?![\w@/'’-]|\.\w)|(?<![\p{L}\p{N}_@./'’-])[a-z]+(?![\p{L}\p{N}_@/'’-]|\.\w)/gu;

/** Undefined when there is nothing to correct. */
export function mendSpelling(q: string, { isUnknown, documentsWith }: SpellingKnowledge): Mended | undefined {
  const typed = new Map<string, string>();
  let lookedInto = 0;
  const text = q.replace(PLAIN_WORD, (written) => {
    const word = written.toLowerCase();
    const stem = stemWord(word);
    if (stem.length < MIN_LETTERS || word.length > MOST_LETTERS || !isUnknown(stem)) return written;
    lookedInto += 1;
    if (lookedInto > MOST_LOOKED_INTO) return written;
    // A typing error may look like a suffix: "calender".
    const meant =
      mostFrequent(wordsOneSlipAway(stem), documentsWith) ?? mostFrequent(wordsOneSlipAway(word), documentsWith);
    if (meant === undefined) return written;
    typed.set(meant, word);
    return meant;
  });
  return typed.size === 0 ? undefined : { text, typed };
}

function mostFrequent(stems: Iterable<string>, documentsWith: (stem: string) => number): string | undefined {
  let best: string | undefined;
  let most = 0;
  for (const stem of stems) {
    // The corrected text is analysed again.
    const having = stem.length < MIN_LETTERS ? 0 : documentsWith(stem);
    if (having > most && stemWord(stem) === stem) [best, most] = [stem, having];
  }
  return best;
}
