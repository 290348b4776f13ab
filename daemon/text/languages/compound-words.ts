import type { Lexicon } from "./lexicon.ts";
import type { QueryLanguage } from "./query-languages.ts";

/** What joins the parts of a compound word: "Geburt-s-tag", "zon-ne-energie". */
const JOINTS: Readonly<Partial<Record<QueryLanguage, readonly string[]>>> = {
  German: ["", "s", "n", "en", "es", "er"],
  Dutch: ["", "s", "n", "en", "e"],
};

const LEAST_PART = 3;
/** With a part of three letters, the other has at least this many: short parts are found in any word. */
const LEAST_BESIDE_SHORT = 5;
const LEAST_LETTERS = 7;
const MOST_LETTERS = 40;

/** What the parts of a compound word of German or Dutch are in English, in order; empty when it cannot be split. */
export function partsInEnglish(word: string, lexicon: Lexicon): readonly string[] {
  const joints = JOINTS[lexicon.language];
  if (joints === undefined || word.length < LEAST_LETTERS || word.length > MOST_LETTERS) return [];
  // The longest first part is the most certain.
  for (let end = word.length - LEAST_PART; end >= LEAST_PART; end -= 1) {
    const rest = word.slice(end);
    const last = lexicon.partOf(rest);
    if (last === undefined) continue;
    for (const joint of joints) {
      const before = word.slice(0, end);
      if (!before.endsWith(joint)) continue;
      const begin = before.slice(0, before.length - joint.length);
      if (
        Math.min(begin.length, rest.length) === LEAST_PART &&
        Math.max(begin.length, rest.length) < LEAST_BESIDE_SHORT
      )
        continue;
      const first = begin.length < LEAST_PART ? undefined : lexicon.partOf(begin);
      const parts = first === undefined ? partsInEnglish(begin, lexicon) : [first];
      if (parts.length > 0) return [...parts, last];
    }
  }
  return [];
}
