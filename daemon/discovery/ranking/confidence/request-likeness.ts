import { foldWord } from "../../../text/analyse-text.ts";
import { stemWord } from "../../../text/stem-word.ts";
import { STOP_WORDS } from "../../../text/stop-words.ts";

/*
 * Whether a query reads like a request for data at all, regardless of the catalog: "why do we", "you are so" and "wash
 * the" do not, "show me the", "how many" and "currency rates" do. A logistic regression on words, including function
 * words, and on pairs of function words, which ranking ignores.
 */

/** Weights by token; positive ones suggest a request. */
export interface RequestWords {
  readonly bias: number;
  readonly weights: Readonly<Record<string, number>>;
}

/** Stands for all numbers. */
export const NUMBER = "#";
/** Before the first word. */
const START = "^";

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const APOSTROPHE = /[’'`]/gu;
/** Further words are ignored. */
const MOST_WORDS = 80;

/** The tokens of a query that have weights, and how much of the query they cover. */
export interface RequestTokens {
  /** Stems of words, function words as they are, pairs of those, and the beginning of the query. */
  readonly tokens: readonly string[];
  /** The share of its words that are known, 0 to 1. */
  readonly known: number;
}

export function requestTokens(q: string, isKnown: (token: string) => boolean): RequestTokens {
  const words = (foldWord(q).replace(APOSTROPHE, "").match(WORD) ?? []).slice(0, MOST_WORDS);
  const tokens: string[] = [];
  let knownWords = 0;
  let before = START;
  for (const word of words) {
    const isFunctionWord = STOP_WORDS.has(word);
    const token = isFunctionWord ? word : tokenOf(word);
    if (isKnown(token)) {
      tokens.push(token);
      knownWords += 1;
    }
    const pair = `${before} ${word}`;
    if (before !== "" && isKnown(pair)) tokens.push(pair);
    before = isFunctionWord ? word : "";
  }
  return { tokens, known: words.length === 0 ? 0 : knownWords / words.length };
}

/**
 * Log-odds that a query is a request. The fewer of its words are known, as in another language, the closer it is to 0,
 * so that the decision is left to the other signs.
 */
export function createRequestLikeness({ bias, weights }: RequestWords): (q: string) => number {
  return (q) => {
    const { tokens, known } = requestTokens(q, (token) => Object.hasOwn(weights, token));
    if (tokens.length === 0) return 0;
    const sum = tokens.reduce((total, token) => total + (weights[token] ?? 0), 0);
    return known * (bias + sum / Math.sqrt(tokens.length));
  };
}

function tokenOf(word: string): string {
  return /^\p{N}/u.test(word) ? NUMBER : stemWord(word);
}
