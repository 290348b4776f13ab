import type { WordPairs } from "../query/word-pairs.ts";

/** What texts have of the pairs of a query, one text after another; each pair counts once a text. */
export class PairTally {
  /** Σ worth of pairs that stand next to each other in the query and in the text, in the same order. */
  phrases = 0;
  /** Of those, the ones in its name. */
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

  /** Two words of the query, by their places, of which the text has one right after the other. */
  add(first: number, second: number, isName: boolean): void {
    const pair = this.#pairs.find(first, second);
    if (pair < 0 || this.#lastText[pair] === this.#text) return;
    this.#lastText[pair] = this.#text;
    const worth = this.#pairs.worths[pair] ?? 0;
    this.phrases += worth;
    if (isName) this.namePhrases += worth;
  }
}
