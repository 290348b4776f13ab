import type { Shard } from "../../index/shard/shard.ts";
import { type AskedWord, isOwn } from "../query/asked-words.ts";

/**
 * The words of a query as terms of one shard. `placesOfTerms` has a number for each term of the shard, 0 outside of queries:
 * it is borrowed until `close`, by one query at a time.
 */
export class AskedTerms {
  readonly words: readonly AskedWord[];
  /** What a full match of each word is worth, by its place. */
  readonly worths: Float64Array;
  /** So many of the words are the query's own; they come first. */
  readonly ownCount: number;
  /** Σ worth of the query's own words. */
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

  /** The place of a term among the words; −1 for what the query does not ask for. */
  placeOf(term: number): number {
    return (this.#placesOfTerms[term] ?? 0) - 1;
  }

  close(): void {
    for (const term of this.#terms) if (term >= 0) this.#placesOfTerms[term] = 0;
  }
}
