import type { Ask } from "./ask.ts";

/** Words that follow each other in a query, each pair once. */
export interface WordPairs {
  /** By the number of a pair: what it says that a text has it. No more than the word of it that says less. */
  readonly worths: readonly number[];
  /** The number of the pair of these places of words; −1 where the second never follows the first. */
  find(first: number, second: number): number;
}

export function wordPairsOf({ words, sequence }: Ask, worths: Float64Array): WordPairs {
  // By the place of a word: the places that follow it. It is one, nearly always.
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
