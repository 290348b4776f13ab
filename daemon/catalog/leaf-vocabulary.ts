import { analyseText } from "../text/analyse-text.ts";
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

  /** The id of the leaf that shares most with the texts: rare words count more than those of many leaves. */
  nearest(texts: readonly WeightedText[]): string | undefined {
    const scores = new Map<string, number>();
    for (const [stem, weight] of countStems(texts)) {
      const leaves = this.#leavesOf.get(stem);
      if (leaves === undefined) continue;
      const says = (weight / (weight + SATURATION)) * this.#rarity(leaves.size);
      for (const [id, share] of leaves) scores.set(id, (scores.get(id) ?? 0) + says * share);
    }
    const [best] = [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return best !== undefined && best[1] >= LEAST_SHARE * this.#rarity(1) ? best[0] : undefined;
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
