import type { Shard } from "../../index/shard/shard.ts";
import { type AskedWord, isOwn } from "../query/asked-words.ts";

/**
 * The words of a query as terms of one shard. `placesOfTerms` has a number for each term of the shard, 0 between
 * queries: one query at a time borrows it until `close`.
 */
export class AskedTerms {
  readonly words: readonly AskedWord[];
  /** The weight of a full match of each word, by its place. */
  readonly worths: Float64Array;
  /** The number of the query's own words, which come first. */
  readonly ownCount: number;
  /** The sum of the weights of the query's own words. */
  readonly ownWorth: number;
  readonly #terms: readonly number[];
  readonly #placesOfTerms: Uint16Array;

  constructor(
    { words, worths }: { readonly words: readonly AskedWord[]; readonly worths: Float64Array },
    shard: Shard,
    placesOfTerms: Uint16Array,
  ) {
    this.words = words;
    this.worths = worths;
    this.ownCount = words.filter(isOwn).length;
    this.ownWorth = worths.subarray(0, this.ownCount).reduce((sum, worth) => sum + worth, 0);
    this.#terms = words.map(({ stem }) => shard.termOf(stem));
    this.#placesOfTerms = placesOfTerms;
    for (const [place, term] of this.#terms.entries()) if (term >= 0) placesOfTerms[term] = place + 1;
  }

  /** The place of a term among the words; −1 when the query does not have it. */
  placeOf(term: number): number {
    return (this.#placesOfTerms[term] ?? 0) - 1;
  }

  close(): void {
    for (const term of this.#terms) if (term >= 0) this.#placesOfTerms[term] = 0;
  }
}
