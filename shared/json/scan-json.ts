import { isHeld } from "./held-number.ts";

/** The range of a literal in a text, from its first character to the position after its last. */
export interface LiteralPlace {
  readonly start: number;
  readonly end: number;
}

/** The content of a JSON text, counted from its characters without parsing it. */
export interface JsonFacts {
  /** Objects, lists, texts, numbers, true, false and null; names of members are not counted. */
  readonly values: number;
  /** Members of all objects together. */
  readonly members: number;
  /** The part of these in objects with more than 1,000 members: maps, which JavaScript stores at a higher cost. */
  readonly mapMembers: number;
  /** Objects and lists. */
  readonly containers: number;
  /** 0 for a value that is neither an object nor a list. */
  readonly depth: number;
  /** Numbers that `JSON.parse` would change, in order; empty when `values` is above `maxValues`. */
  readonly unheld: readonly LiteralPlace[];
}

export interface ScanOptions {
  /** With more values than this, no numbers are reported. */
  readonly maxValues?: number;
  /** Reports no numbers at all. */
  readonly skipsNumbers?: boolean;
}

/**
 * From about this size on, JavaScript stores an object as a table rather than by a shape that it shares with others.
 */
const MAP_FROM_MEMBERS = 1_001;
/** The depth to which members are counted by object; limits on depth are lower. */
const COUNTED_DEPTHS = 512;

/** A literal up to this length is a whole number below 2^53 or has at most 15 digits, which a double always holds. */
const SURELY_HELD_CHARACTERS = 15;
/** The rest of a longer text is searched by native code. */
const SHORT_CHARACTERS = 32;

/**
 * Counts the content of a JSON text, part by part. For a text that is not JSON the counts are arbitrary, but it never
 * throws: `JSON.parse` refuses it. A duplicate member of an object counts twice.
 */
export class JsonScanner {
  readonly #json: string;
  readonly #maxValues: number;
  readonly #skipsNumbers: boolean;
  readonly #unheld: LiteralPlace[] = [];
  #at = 0;
  #depth = 0;
  #deepest = 0;
  #texts = 0;
  #colons = 0;
  #containers = 0;
  #mapMembers = 0;
  /** As long as the text is deep, up to the depth that is counted: most texts are short and flat. */
  readonly #membersByDepth: number[] = [];
  #others = 0;

  constructor(json: string, { maxValues = Infinity, skipsNumbers = false }: ScanOptions = {}) {
    this.#json = json;
    this.#maxValues = maxValues;
    this.#skipsNumbers = skipsNumbers;
  }

  get isDone(): boolean {
    return this.#at >= this.#json.length;
  }

  get facts(): JsonFacts {
    const values = this.#values;
    return {
      values,
      members: this.#colons,
      mapMembers: this.#mapMembers,
      containers: this.#containers,
      depth: this.#deepest,
      unheld: values > this.#maxValues ? [] : this.#unheld,
    };
  }

  get #values(): number {
    // Each member name is a text before a colon.
    return this.#texts - this.#colons + this.#containers + this.#others;
  }

  /** Continues for about this many characters, to the end of the value at which they end. */
  advance(further = Infinity): void {
    const json = this.#json;
    const until = Math.min(json.length, this.#at + further);
    let at = this.#at;
    while (at < until) {
      const code = json.charCodeAt(at);
      switch (code) {
        case QUOTE:
          this.#texts += 1;
          at = endOfText(json, at + 1);
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.#containers += 1;
          this.#depth += 1;
          if (this.#depth > this.#deepest) this.#deepest = this.#depth;
          if (this.#depth > 0 && this.#depth < COUNTED_DEPTHS) this.#membersByDepth[this.#depth] = 0;
          at += 1;
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#countMap();
          this.#depth -= 1;
          at += 1;
          break;
        case COLON:
          this.#colons += 1;
          this.#countMember();
          at += 1;
          break;
        case COMMA:
        case SPACE:
        case LINE_FEED:
          at += 1;
          break;
        default:
          at = this.#passScalar(at, code);
      }
    }
    this.#at = at;
  }

  #countMember(): void {
    const members = this.#membersByDepth[this.#depth];
    if (members !== undefined) this.#membersByDepth[this.#depth] = members + 1;
  }

  #countMap(): void {
    const members = this.#membersByDepth[this.#depth] ?? 0;
    if (members >= MAP_FROM_MEMBERS) this.#mapMembers += members;
  }

  #passScalar(start: number, first: number): number {
    const json = this.#json;
    let end = start + 1;
    if (first === MINUS || isDigit(first)) {
      let isPlain = true;
      for (let code = json.charCodeAt(end); isOfNumber(code); code = json.charCodeAt((end += 1))) {
        if (isOfExponent(code)) isPlain = false;
      }
      this.#others += 1;
      const isSure = isPlain && end - start <= SURELY_HELD_CHARACTERS;
      if (!isSure && !this.#skipsNumbers && this.#values <= this.#maxValues && !isHeld(json.slice(start, end))) {
        this.#unheld.push({ start, end });
      }
      return end;
    }
    if (!isLetter(first)) return end;
    this.#others += 1;
    while (isLetter(json.charCodeAt(end))) end += 1;
    return end;
  }
}

/** Scans the whole text at once. */
export function scanJson(json: string, options?: ScanOptions): JsonFacts {
  const scanner = new JsonScanner(json, options);
  scanner.advance();
  return scanner.facts;
}

/** The position after the closing quote of the text that begins at `at`; the end of the input when there is none. */
export function endOfText(json: string, at: number): number {
  const shortEnd = Math.min(json.length, at + SHORT_CHARACTERS);
  let here = at;
  while (here < shortEnd) {
    const code = json.charCodeAt(here);
    if (code === QUOTE) return here + 1;
    here += code === BACKSLASH ? 2 : 1;
  }
  for (;;) {
    const quote = json.indexOf('"', here);
    if (quote === -1) return json.length;
    // A quote after an odd number of backslashes belongs to the text.
    let first = quote;
    while (first > here && json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    here = quote + 1;
    if ((quote - first) % 2 === 0) return here;
  }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isOfNumber(code: number): boolean {
  return isDigit(code) || code === POINT || isOfExponent(code);
}

function isOfExponent(code: number): boolean {
  return code === SMALL_E || code === LARGE_E || code === PLUS || code === MINUS;
}

function isLetter(code: number): boolean {
  return code >= SMALL_A && code <= SMALL_Z;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
const SMALL_E = 0x65;
const LARGE_E = 0x45;
