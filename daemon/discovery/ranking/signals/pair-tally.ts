import type { WordPairs } from "../query/word-pairs.ts";

/** Counts the word pairs of a query in texts, one text after another; each pair counts once for each text. */
export class PairTally {
  /** The sum of the weights of pairs that are adjacent in the query and in the text, in the same order. */
  phrases = 0;
  /** The part of these in its name. */
  namePhrases = 0;
  readonly #pairs: WordPairs;
  readonly #lastText: Uint32Array;
  #text = 0;

  constructor(pairs: WordPairs) {
    this.#pairs = pairs;
    this.#lastText = new Uint32Array(pairs.worths.length);
  }

  beginText(): void {
    this.#text += 1;
    this.phrases = 0;
    this.namePhrases = 0;
  }

  /** Two words of the query, by their places, that are adjacent in the text in this order. */
  add(first: number, second: number, isName: boolean): void {
    const pair = this.#pairs.find(first, second);
    if (pair < 0 || this.#lastText[pair] === this.#text) return;
    this.#lastText[pair] = this.#text;
    const worth = this.#pairs.worths[pair] ?? 0;
    this.phrases += worth;
    if (isName) this.namePhrases += worth;
  }
}
