import { analyseQuery } from "../../text/analyse-text.ts";
import type { Thesaurus } from "../thesaurus/compile-thesaurus.ts";
import { expandWords } from "../thesaurus/expand-words.ts";
import type { Expansion } from "./ask.ts";

/** Less than a word of the query itself. */
const MOST = 0.99;

/** What the thesaurus adds to a query, stem by stem: of a term of several words each has its part. */
export function expansionsOf(q: string, thesaurus: Thesaurus): Expansion[] {
  return expandWords(analyseQuery(q), thesaurus).flatMap(({ from, stems, weight }) =>
    stems.map((stem) => ({ stem, from, weight: Math.min(MOST, weight / stems.length) })),
  );
}
