import { searchFields } from "../../documents/search-document.ts";
import { type Shard, SEPARATOR } from "../../index/shard/shard.ts";
import type { AskedWord } from "../query/asked-words.ts";
import type { WordPairs } from "../query/word-pairs.ts";
import { AskedTerms } from "./asked-terms.ts";
import { PairTally } from "./pair-tally.ts";
import { askedShare, askLikeness, honesty } from "./text-measures.ts";
import { fieldRange, SeenTerms, type TextReading } from "./text-reading.ts";

/** What the text of a document has of a query, beside how often each word is where. Rarities add up, so all but the shares are in the same unit. */
export interface TextEvidence {
  /** Σ worth of the query's words that it has. */
  readonly covered: number;
  /** Σ worth of pairs of words that stand next to each other in the query and here, in the same order. */
  readonly phrases: number;
  /** Of those, the ones in its name. */
  readonly namePhrases: number;
  /** 0 to 1: how much of what its name says the query asks for. */
  readonly nameShare: number;
  readonly descriptionShare: number;
  /** 0 to 1: how alike the query and the ask that is most like it are. */
  readonly askLikeness: number;
  /** 0 to 1: below 1 for a text that says the same few words over and over. */
  readonly honesty: number;
}

const NAME = searchFields.indexOf("name");
const DESCRIPTION = searchFields.indexOf("description");
const PARAMETERS = searchFields.indexOf("parameters");

/** What reading needs for each term of a shard, taken once. */
export interface TermScratch {
  /** Query places + 1; all 0 between queries. */
  readonly places: Uint16Array;
  /** Which stretch of text saw it last. */
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
  /** Σ worth of the query's own words in the document that is read. */
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

  /** Gives back what the query took. */
  close(): void {
    this.#reading.asked.close();
  }

  /** What a field covers that no field before it did, and the pairs in it. */
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
