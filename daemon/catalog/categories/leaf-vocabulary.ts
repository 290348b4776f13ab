import { analyseText } from "../../text/analyse-text.ts";
import type { LeafCategory } from "./categories-file.ts";

export interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

/** How much a word says about a leaf, by where the leaf has it. */
const OF_NAME = 1;
const OF_DESCRIPTION = 0.5;
/** Below so much of what a word says that only one leaf has, two or three words met by chance. */
const LEAST_SHARE = 0.85;
/** A word by itself may be a name: thirty endpoints called Mercury are neither planets nor metals. */
const LEAST_WORDS = 2;
/** Where two leaves have nearly as much, the text is about neither alone. */
const LEAST_LEAD = 1.1;
/** Numbers and letters: "10" is a part of PM10, and of a list of thirty things. */
const SAYS_NOTHING = /^(?:[\d.]+|.)$/u;
/** One word said a hundred times says no more than said a few times. */
const SATURATION = 2;

/** The words of the leaves of a category tree, to find where a text belongs. */
export class LeafVocabulary {
  /** Stem → the leaves that have it, with its weight there. */
  readonly #leavesOf = new Map<string, Map<string, number>>();
  readonly #leaves: number;

  constructor(leaves: readonly LeafCategory[]) {
    this.#leaves = leaves.length;
    for (const { id, displayName, description, words, hidden } of leaves) {
      if (hidden) continue;
      this.#learn(id, description ?? "", OF_DESCRIPTION);
      this.#learn(id, [displayName, ...words].join(" . "), OF_NAME);
    }
  }

  /**
   * The id of the leaf that shares most with the texts: rare words count more than those of many leaves. Undefined where
   * that is not sure: too little is shared, one word alone, or as much with another leaf.
   */
  nearest(texts: readonly WeightedText[]): string | undefined {
    const found = new Map<string, { score: number; words: number }>();
    for (const [stem, weight] of countStems(texts)) {
      const leaves = SAYS_NOTHING.test(stem) ? undefined : this.#leavesOf.get(stem);
      if (leaves === undefined) continue;
      const says = (weight / (weight + SATURATION)) * this.#rarity(leaves.size);
      for (const [id, share] of leaves) {
        const { score, words } = found.get(id) ?? { score: 0, words: 0 };
        found.set(id, { score: score + says * share, words: words + 1 });
      }
    }
    const [best, next] = [...found].sort(([a, x], [b, y]) => y.score - x.score || (a < b ? -1 : 1));
    if (best === undefined) return undefined;
    const [id, { score, words }] = best;
    const isSure =
      words >= LEAST_WORDS && score >= LEAST_SHARE * this.#rarity(1) && score >= LEAST_LEAD * (next?.[1].score ?? 0);
    return isSure ? id : undefined;
  }

  /** How much a word says that so many leaves have. */
  #rarity(leaves: number): number {
    return Math.log(1 + this.#leaves / leaves);
  }

  #learn(id: string, text: string, share: number): void {
    for (const stem of analyseText(text)) {
      const leaves = this.#leavesOf.get(stem) ?? new Map<string, number>();
      this.#leavesOf.set(stem, leaves.set(id, share));
    }
  }
}

function countStems(texts: readonly WeightedText[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text, weight } of texts) {
    for (const stem of analyseText(text)) counts.set(stem, (counts.get(stem) ?? 0) + weight);
  }
  return counts;
}
