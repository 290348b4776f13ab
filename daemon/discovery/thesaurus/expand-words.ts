import type { QueryWord } from "../../text/analyse-text.ts";
import { isWeakWord } from "../../text/stop-words.ts";
import type { Phrase, Target, Thesaurus } from "./compile-thesaurus.ts";

/** Something that a query does not say but probably means. */
export interface Expansion {
  /** The words of the query that led here, as written, folded: "zip code". For explanations. */
  readonly from: string;
  /** The places of these words in the query, ascending; at least one. */
  readonly words: readonly number[];
  /** What the thesaurus calls it: "postal code". For explanations. */
  readonly text: string;
  /** Its stems, at least one, of which the query lacks at least one; an endpoint matches when it has all of them. */
  readonly stems: readonly string[];
  /** Above 0 and up to 1: the weight of a match compared with a plain word of the query. */
  readonly weight: number;
}

/** Limits the additions, so that they do not outweigh the query. */
const MAX_EXPANSIONS = 32;

/**
 * The thesaurus entries for the words of a query, highest weight first, each once; those of the same weight in the
 * order of the query. Of the phrases that begin at a word the longest is used, and the words in it are not looked up
 * separately. Takes microseconds: a look-up for each stem.
 */
export function expandWords(query: readonly QueryWord[], thesaurus: Thesaurus): readonly Expansion[] {
  const steps = stepsOf(query);
  const asked = new Set(steps.map(({ stem }) => stem));
  const found = new Map<string, Expansion>();
  for (let place = 0; place < steps.length;) {
    const match = longestPhraseAt(steps, place, { query, thesaurus });
    for (const target of match?.phrase.targets ?? []) {
      if (match !== undefined && !target.stems.every((stem) => asked.has(stem)))
        keep(found, toExpansion(query, match, target));
    }
    place = match?.next ?? place + 1;
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight).slice(0, MAX_EXPANSIONS);
}

/** A stem of a query, and the place of the next one: an identifier comes as a whole, and then part by part. */
interface Step {
  readonly stem: string;
  /** Place of its word in the query. */
  readonly word: number;
  /** Place of the step that comes after it in a phrase. */
  readonly next: number;
}

function stepsOf(query: readonly QueryWord[]): Step[] {
  const steps: Step[] = [];
  query.forEach(({ stems }, word) => {
    const start = steps.length;
    stems.forEach((stem, index) => {
      steps.push({ stem, word, next: start + (index === 0 ? stems.length : index + 1) });
    });
  });
  return steps;
}

interface Match {
  readonly phrase: Phrase;
  readonly words: readonly number[];
  /** Place of the step at which the search continues. */
  readonly next: number;
}

function longestPhraseAt(
  steps: readonly Step[],
  place: number,
  { query, thesaurus }: { readonly query: readonly QueryWord[]; readonly thesaurus: Thesaurus },
): Match | undefined {
  const start = steps[place];
  if (start === undefined) return undefined;
  for (const phrase of thesaurus.get(start.stem) ?? []) {
    // "new" has the stem of "news": a word that every query may have does not count alone.
    if (phrase.stems.length === 1 && isWeakWord(query[start.word]?.text ?? "")) continue;
    const match = matchAt(steps, place, phrase);
    if (match !== undefined) return match;
  }
  return undefined;
}

function matchAt(steps: readonly Step[], place: number, phrase: Phrase): Match | undefined {
  const words = new Set<number>();
  let next = place;
  for (const stem of phrase.stems) {
    const step = steps[next];
    if (step?.stem !== stem) return undefined;
    words.add(step.word);
    next = step.next;
  }
  return { phrase, words: [...words], next };
}

function toExpansion(query: readonly QueryWord[], { words }: Match, { text, stems, weight }: Target): Expansion {
  return { from: words.map((word) => query[word]?.text ?? "").join(" "), words, text, stems, weight };
}

/** If two ways lead to the same thing, the better one is kept. */
function keep(found: Map<string, Expansion>, expansion: Expansion): void {
  const key = expansion.stems.join(" ");
  const before = found.get(key);
  if (before === undefined || before.weight < expansion.weight) found.set(key, expansion);
}
