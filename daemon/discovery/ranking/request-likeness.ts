import { foldWord } from "../../text/analyse-text.ts";
import { stemWord } from "../../text/stem-word.ts";
import { STOP_WORDS } from "../../text/stop-words.ts";

/*
 * Whether a query reads like a request for data at all, whatever the catalog has: "why do we", "you are so" and "wash the" do
 * not, "show me the", "how many" and "currency rates" do. A logistic regression on words, function words among them, and on
 * pairs of function words, which ranking leaves aside.
 */

/** Weights by token; a positive one speaks for a request. */
export interface RequestWords {
  readonly bias: number;
  readonly weights: Readonly<Record<string, number>>;
}

/** Stands for words that the weights do not know: in Latin letters, in others, and for numbers. */
export const UNKNOWN_WORD = "?";
export const FOREIGN_WORD = "文";
export const NUMBER = "#";
/** Before the first word. */
const START = "^";

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const APOSTROPHE = /[’'`]/gu;
const LATIN = /^\p{Script=Latin}+$/u;
/** What is said in so many words is said. */
const MOST_WORDS = 80;

/** What the weights are of: words by their stems, function words as they are, pairs of those, and what the query begins with. */
export function requestTokens(q: string, isKnown: (token: string) => boolean): string[] {
  const words = (foldWord(q).replace(APOSTROPHE, "").match(WORD) ?? []).slice(0, MOST_WORDS);
  const tokens: string[] = [];
  let before = START;
  for (const word of words) {
    const isFunctionWord = STOP_WORDS.has(word);
    const token = isFunctionWord ? word : tokenOf(word);
    tokens.push(isKnown(token) ? token : unknownTokenOf(word));
    const pair = `${before} ${word}`;
    if (before !== "" && isKnown(pair)) tokens.push(pair);
    before = isFunctionWord ? word : "";
  }
  return tokens;
}

/** Log-odds that a query is a request; 0 for one without words. */
export function createRequestLikeness({ bias, weights }: RequestWords): (q: string) => number {
  const weightOf = new Map(Object.entries(weights));
  return (q) => {
    const tokens = requestTokens(q, (token) => weightOf.has(token));
    if (tokens.length === 0) return 0;
    const sum = tokens.reduce((total, token) => total + (weightOf.get(token) ?? 0), 0);
    return bias + sum / Math.sqrt(tokens.length);
  };
}

function tokenOf(word: string): string {
  return /^\p{N}/u.test(word) ? NUMBER : stemWord(word);
}

function unknownTokenOf(word: string): string {
  if (/^\p{N}/u.test(word)) return NUMBER;
  return LATIN.test(word) ? UNKNOWN_WORD : FOREIGN_WORD;
}
