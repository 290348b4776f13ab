import { analyseText } from "../../text/analyse-text.ts";
import type { LeafCategory } from "./categories-file.ts";

export interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

/** The weight of a word for a leaf, by where the leaf has it. */
const OF_NAME = 1;
const OF_DESCRIPTION = 0.5;
/** The minimum share of the weight of a word that only one leaf has. Below it, two or three words match by chance. */
const LEAST_SHARE = 0.85;
/** A single word may be a name: thirty endpoints called Mercury are about neither planets nor metals. */
const LEAST_WORDS = 2;
/**
 * The minimum lead over the second-best leaf. When two leaves score nearly the same, the text is about neither alone.
 */
const LEAST_LEAD = 1.1;
/** Numbers and single letters: "10" is a part of PM10, but also of a list of thirty things. */
const SAYS_NOTHING = /^(?:[\d.]+|.)$/u;
/** A word repeated a hundred times says no more than one repeated a few times. */
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
   * The id of the leaf that shares most with the texts; a rare word counts more than a word of many leaves. Undefined
   * when the result is uncertain: too little is shared, only one word is shared, or another leaf shares as much.
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

  /** The weight of a word that this many leaves have. */
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
