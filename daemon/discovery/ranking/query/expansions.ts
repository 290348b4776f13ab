import type { WrittenQuery } from "../../../text/analyse-text.ts";
import type { Thesaurus } from "../../thesaurus/compile-thesaurus.ts";
import { expandWords } from "../../thesaurus/expand-words.ts";
import type { AddedWord } from "./ask.ts";

/** Below the weight of a word of the query itself. */
const MOST = 0.99;

/** The words that the thesaurus adds to a query, stem by stem: the stems of a term share its weight. */
export function expansionsOf({ opening, words }: WrittenQuery, thesaurus: Thesaurus): AddedWord[] {
  const targets = (thesaurus.get(opening) ?? []).flatMap((phrase) => phrase.targets);
  return [
    ...targets.flatMap((target) => stemByStem({ ...target, from: opening, by: "opening" })),
    ...expandWords(words, thesaurus).flatMap((target) =>
      // A target of several words in a row is more certain.
      stemByStem({ ...target, by: "thesaurus", weight: target.weight * Math.sqrt(target.words.length) }),
    ),
  ];
}

type OfSeveralStems = Omit<AddedWord, "stem"> & { readonly stems: readonly string[] };

function stemByStem({ from, by, stems, weight }: OfSeveralStems): AddedWord[] {
  return stems.map((stem) => ({ stem, from, by, weight: Math.min(MOST, weight / stems.length) }));
}
