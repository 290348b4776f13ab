import type { Ask } from "./ask.ts";

/** Adjacent words in a query, each pair once. */
export interface WordPairs {
  /** By the number of a pair: the weight of a text that has it. At most the weight of its less rare word. */
  readonly worths: readonly number[];
  /** The number of the pair of words at these places; −1 when the second never follows the first. */
  find(first: number, second: number): number;
}

export function wordPairsOf({ words, sequence }: Ask, worths: Float64Array): WordPairs {
  // By the place of a word: the places that follow it, nearly always one.
  const followers = words.map((): number[] => []);
  const numbers = words.map((): number[] => []);
  const pairWorths: number[] = [];
  for (const [at, first] of sequence.entries()) {
    const second = sequence[at + 1] ?? -1;
    if (first < 0 || second < 0 || first === second || followers[first]?.includes(second)) continue;
    followers[first]?.push(second);
    numbers[first]?.push(pairWorths.length);
    pairWorths.push(Math.min(worths[first] ?? 0, worths[second] ?? 0));
  }
  return {
    worths: pairWorths,
    find(first, second) {
      const at = followers[first]?.indexOf(second) ?? -1;
      return at < 0 ? -1 : (numbers[first]?.[at] ?? -1);
    },
  };
}
