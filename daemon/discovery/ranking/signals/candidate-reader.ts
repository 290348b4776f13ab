import { searchFields } from "../../documents/search-document.ts";
import { type Shard, SEPARATOR } from "../../index/shard/shard.ts";
import type { AskedWord } from "../query/asked-words.ts";
import type { WordPairs } from "../query/word-pairs.ts";
import { AskedTerms } from "./asked-terms.ts";
import { PairTally } from "./pair-tally.ts";
import { askedShare, askLikeness, honesty } from "./text-measures.ts";
import { fieldRange, SeenTerms, type TextReading } from "./text-reading.ts";

/**
 * What the text of a document shares with a query, beyond the frequency of each word. Everything but the shares is a
 * sum of rarities, so it has the same unit.
 */
export interface TextEvidence {
  /** The sum of the weights of the query's words that it has. */
  readonly covered: number;
  /** The sum of the weights of word pairs that are adjacent in the query and here, in the same order. */
  readonly phrases: number;
  /** The part of these in its name. */
  readonly namePhrases: number;
  /** 0 to 1: the share of its name that the query asks for. */
  readonly nameShare: number;
  readonly descriptionShare: number;
  /** 0 to 1: the similarity of the query and the closest ask. */
  readonly askLikeness: number;
  /** 0 to 1: below 1 for a text that repeats the same few words. */
  readonly honesty: number;
}

const NAME = searchFields.indexOf("name");
const DESCRIPTION = searchFields.indexOf("description");
const PARAMETERS = searchFields.indexOf("parameters");

/** Memory for reading, with an element for each term of a shard; allocated once. */
export interface TermScratch {
  /** Query places + 1; all 0 between queries. */
  readonly places: Uint16Array;
  /** The stretch of text in which it was last seen. */
  readonly lastSeen: Uint32Array;
}

export interface ReaderParts {
  readonly shard: Shard;
  readonly scratch: TermScratch;
  readonly words: readonly AskedWord[];
  readonly worths: Float64Array;
  readonly pairs: WordPairs;
  readonly rarityOf: (term: number) => number;
}

/** Reads documents of one shard for one query. */
export class CandidateReader {
  readonly #reading: TextReading;
  readonly #tally: PairTally;
  /** By place in the query: the reading that covered the word last. */
  readonly #lastCovered: Uint32Array;
  /** The number of documents read so far. */
  #readings = 0;
  /** The sum of the weights of the query's own words in the current document. */
  #covered = 0;

  constructor({ shard, scratch, words, worths, pairs, rarityOf }: ReaderParts) {
    const asked = new AskedTerms({ words, worths }, shard, scratch.places);
    this.#reading = { shard, asked, seen: new SeenTerms(scratch.lastSeen), rarityOf };
    this.#tally = new PairTally(pairs);
    this.#lastCovered = new Uint32Array(words.length);
  }

  read(document: number): TextEvidence {
    const reading = this.#reading;
    this.#readings += 1;
    this.#tally.beginText();
    this.#covered = 0;
    for (let field = 0; field < searchFields.length; field += 1) this.#readField(document, field);
    const { phrases, namePhrases } = this.#tally;
    return {
      covered: this.#covered,
      phrases,
      namePhrases,
      nameShare: askedShare(reading, document, NAME),
      askLikeness: askLikeness(reading, document),
      descriptionShare: askedShare(reading, document, DESCRIPTION),
      honesty: honesty(reading, document),
    };
  }

  /** Releases the memory that the query borrowed. */
  close(): void {
    this.#reading.asked.close();
  }

  /** Adds what a field covers and no field before it did, and its pairs. */
  #readField(document: number, field: number): void {
    const { shard, asked } = this.#reading;
    const { fieldTerms } = shard;
    const lastCovered = this.#lastCovered;
    const [start, end] = fieldRange(shard, document, field);
    for (let at = start; at < end; at += 1) {
      const place = asked.placeOf(fieldTerms[at] ?? SEPARATOR);
      if (place < 0) continue;
      if (lastCovered[place] !== this.#readings && place < asked.ownCount) this.#covered += asked.worths[place] ?? 0;
      lastCovered[place] = this.#readings;
      const hasNext = at + 1 < end && field !== PARAMETERS;
      const next = hasNext ? asked.placeOf(fieldTerms[at + 1] ?? SEPARATOR) : -1;
      if (next >= 0) this.#tally.add(place, next, field === NAME);
    }
  }
}
