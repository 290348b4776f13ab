import { searchFields } from "../../documents/search-document.ts";
import { type Shard, SEPARATOR } from "../../index/shard/shard.ts";
import { type AskedWord, isOwn } from "../query/asked-words.ts";
import { PairTally } from "./pair-tally.ts";
import type { WordPairs } from "../query/word-pairs.ts";

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
const ASKS = searchFields.indexOf("asks");
const DESCRIPTION = searchFields.indexOf("description");
const PARAMETERS = searchFields.indexOf("parameters");
/** A field is read up to here: who writes more has said what there is to say. */
const MOST_TERMS = 400;
/** Of a share, what the text says first. */
const MOST_SHARED_TERMS = 40;
/** Who gives more asks than this hopes that one of them fits by chance. */
const MANY_ASKS = 8;
/** A long text of so many terms or more has at least `VARIED · √terms` different ones, unless it is padded. */
const LONG_TEXT = 60;
const VARIED = 1.3;

/** Reads documents of one shard for one query. */
export interface CandidateReader {
  read(document: number): TextEvidence;
  /** Gives back what the query took. */
  close(): void;
}

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

export function createCandidateReader(parts: ReaderParts): CandidateReader {
  const { shard, scratch, words, worths, pairs, rarityOf } = parts;
  const { fieldStarts, fieldTerms } = shard;
  const { places, lastSeen } = scratch;
  const asked = words.map(({ stem }) => shard.termOf(stem));
  asked.forEach((term, place) => {
    if (term >= 0) places[term] = place + 1;
  });
  // The query's own words come first.
  const ownWords = words.filter(isOwn).length;
  const askedWorth = worths.subarray(0, ownWords).reduce((sum, worth) => sum + worth, 0);
  const tally = new PairTally(pairs);
  /** By place in the query: which reading covered the word last. */
  const lastCovered = new Uint32Array(words.length);
  let reading = 0;
  /** The number of the stretch of text that is read: what was seen last in another counts as not seen. */
  let stretch = 0;
  lastSeen.fill(0);

  function isNew(term: number): boolean {
    if (lastSeen[term] === stretch) return false;
    lastSeen[term] = stretch;
    return true;
  }

  /** Of the word that stands there: its place in the query, −1 where it is none of the query's. */
  function placeOf(at: number): number {
    return (places[fieldTerms[at] ?? SEPARATOR] ?? 0) - 1;
  }

  function fieldOf(document: number, field: number, mostTerms = MOST_TERMS): readonly [start: number, end: number] {
    const place = document * searchFields.length + field;
    const start = fieldStarts[place] ?? 0;
    return [start, Math.min(fieldStarts[place + 1] ?? 0, start + mostTerms)];
  }

  /** How much of the words of a field, each once, the query asks for. */
  function shareOf(document: number, field: number): number {
    const [start, end] = fieldOf(document, field, MOST_SHARED_TERMS);
    stretch += 1;
    let [all, named] = [0, 0];
    for (let at = start; at < end; at += 1) {
      const term = fieldTerms[at] ?? SEPARATOR;
      if (term === SEPARATOR || !isNew(term)) continue;
      const rarity = rarityOf(term);
      all += rarity;
      const place = (places[term] ?? 0) - 1;
      // What stands for a word of the query names as much of it as it weighs.
      if (place >= 0) named += rarity * (words[place]?.weight ?? 0);
    }
    return all === 0 ? 0 : named / all;
  }

  /** Twice what both have, by what each has: 1 when they say the same. */
  function askLikenessOf(document: number): number {
    const [start, end] = fieldOf(document, ASKS);
    stretch += 1;
    let [best, asks] = [0, 1];
    let [shared, own] = [0, 0];
    for (let at = start; at <= end; at += 1) {
      const term = at === end ? SEPARATOR : (fieldTerms[at] ?? SEPARATOR);
      if (term === SEPARATOR) {
        if (shared > 0) best = Math.max(best, (2 * shared) / (askedWorth + own));
        [shared, own] = [0, 0];
        stretch += 1;
        if (at < end) asks += 1;
        continue;
      }
      if (!isNew(term)) continue;
      const place = placeOf(at);
      own += rarityOf(term);
      if (place >= 0) shared += worths[place] ?? 0;
    }
    return Math.min(1, best) * Math.min(1, MANY_ASKS / asks);
  }

  function honestyOf(document: number): number {
    const first = document * searchFields.length;
    if ((fieldStarts[first + searchFields.length] ?? 0) - (fieldStarts[first] ?? 0) < LONG_TEXT) return 1;
    stretch += 1;
    let [terms, different] = [0, 0];
    for (let field = 0; field < searchFields.length; field += 1) {
      const [start, end] = fieldOf(document, field);
      for (let at = start; at < end; at += 1) {
        const term = fieldTerms[at] ?? SEPARATOR;
        if (term === SEPARATOR) continue;
        terms += 1;
        if (isNew(term)) different += 1;
      }
    }
    return terms < LONG_TEXT ? 1 : Math.min(1, different / (VARIED * Math.sqrt(terms)));
  }

  return {
    read(document) {
      reading += 1;
      tally.beginText();
      let covered = 0;
      for (let field = 0; field < searchFields.length; field += 1) {
        const [start, end] = fieldOf(document, field);
        for (let at = start; at < end; at += 1) {
          const place = placeOf(at);
          if (place < 0) continue;
          if (lastCovered[place] !== reading && place < ownWords) covered += worths[place] ?? 0;
          lastCovered[place] = reading;
          const next = at + 1 === end || field === PARAMETERS ? -1 : placeOf(at + 1);
          if (next >= 0) tally.add(place, next, field === NAME);
        }
      }
      const { phrases, namePhrases } = tally;
      return {
        covered,
        phrases,
        namePhrases,
        nameShare: shareOf(document, NAME),
        askLikeness: askLikenessOf(document),
        descriptionShare: shareOf(document, DESCRIPTION),
        honesty: honestyOf(document),
      };
    },
    close() {
      for (const term of asked) if (term >= 0) places[term] = 0;
    },
  };
}
