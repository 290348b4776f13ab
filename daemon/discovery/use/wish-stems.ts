import { analyseQuery, foldWord } from "../../text/analyse-text.ts";
import type { LookedFor } from "../ranking/explain-match.ts";

/** More say little, and what is kept of an ask has a limit. */
const MAX_STEMS = 32;
/** Letters alone, as people write words. Addresses, identifiers, keys and numbers are something else. */
const PLAIN_WORD = /^\p{L}[\p{L}\p{M}]*$/u;
const MAX_PLAIN_LENGTH = 24;
/** What stands around a word in a sentence. A dot, a colon or a hyphen inside one makes it part of something else. */
const AROUND = /^[("'“‘«¿¡]+|[)"'”’»,;:.!?…]+$/gu;
/** Words that say the same as one of the query; what the thesaurus added was not asked for. */
const NOT_OF_QUERY: ReadonlySet<LookedFor["by"]> = new Set(["thesaurus", "form", "opening", "parts"]);

/**
 * What is remembered of an ask: the stems of its plain words that the catalog has, sorted, each once. Names, numbers,
 * identifiers, addresses and words that only the caller knows are left out. docs/security.md, "What is logged".
 */
export function wishStems(
  phrasings: readonly string[],
  lookFor: (phrasing: string) => readonly Pick<LookedFor, "word" | "form" | "by">[],
): readonly string[] {
  const stems = new Set<string>();
  for (const phrasing of phrasings) {
    const plain = plainWords(phrasing);
    for (const { word, form, by } of lookFor(phrasing)) {
      if (stems.size < MAX_STEMS && !NOT_OF_QUERY.has(by) && plain.has(word) && PLAIN_WORD.test(form)) stems.add(form);
    }
  }
  return [...stems].sort();
}

/** The words of a text, folded, that are neither names nor parts of anything else. */
function plainWords(text: string): ReadonlySet<string> {
  const plain = new Set<string>();
  const others = new Set(analyseQuery(text).flatMap((word) => (word.isName ? word.text : [])));
  for (const [place, chunk] of text.trim().split(/\s+/u).entries()) {
    const word = chunk.replaceAll(AROUND, "");
    const isPlain = PLAIN_WORD.test(word) && word.length <= MAX_PLAIN_LENGTH && !isCapitalised(word, place);
    if (isPlain) plain.add(foldWord(word));
    // "live" of "sk-live-3f" is no word, also where it is one elsewhere.
    else for (const part of analyseQuery(chunk)) others.add(part.text);
  }
  return new Set([...plain].filter((word) => !others.has(word)));
}

/** A sentence begins with a capital; anywhere else it is a name, and several in one word are an abbreviation. */
function isCapitalised(word: string, place: number): boolean {
  return /\p{Lu}/u.test(place === 0 ? word.slice(1) : word);
}
