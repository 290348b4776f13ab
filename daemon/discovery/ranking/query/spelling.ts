import { stemWord } from "../../../text/stem-word.ts";
import { wordsOneSlipAway } from "../../../text/words-near.ts";

/** A query without the slips of whoever typed it. */
export interface Mended {
  readonly text: string;
  /** By the stem that was put in its place: the word as it was typed. */
  readonly typed: ReadonlyMap<string, string>;
}

export interface SpellingKnowledge {
  /** Whether nothing is known by this stem, so that it may be a slip. */
  readonly isUnknown: (stem: string) => boolean;
  /** How many documents have a stem that is a word of the language; 0 for any other. */
  readonly documentsWith: (stem: string) => number;
}

/** Shorter words are near to too many others. */
const MIN_LETTERS = 5;
/** What is longer is no word. */
const MOST_LETTERS = 20;
/** So many unknown words are looked into: a text of more is no slip of the hand, and each takes a tenth of a millisecond. */
const MOST_LOOKED_INTO = 4;
/**
 * Words in small letters that stand alone: neither a name nor a part of an address, a path, an identifier or a number. The first
 * word of a text may have a capital.
 */
const PLAIN_WORD =
  /(?<=^\s*)[A-Z]?[a-z]+(?![\w@/'’-]|\.\w)|(?<![\p{L}\p{N}_@./'’-])[a-z]+(?![\p{L}\p{N}_@/'’-]|\.\w)/gu;

/** Undefined where there is nothing to mend. */
export function mendSpelling(q: string, { isUnknown, documentsWith }: SpellingKnowledge): Mended | undefined {
  const typed = new Map<string, string>();
  let lookedInto = 0;
  const text = q.replace(PLAIN_WORD, (written) => {
    const word = written.toLowerCase();
    const stem = stemWord(word);
    if (stem.length < MIN_LETTERS || word.length > MOST_LETTERS || !isUnknown(stem)) return written;
    lookedInto += 1;
    if (lookedInto > MOST_LOOKED_INTO) return written;
    // A slip may make an ending of what is none: "calender".
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
    // What is put into the text is read again.
    const having = stem.length < MIN_LETTERS ? 0 : documentsWith(stem);
    if (having > most && stemWord(stem) === stem) [best, most] = [stem, having];
  }
  return best;
}
