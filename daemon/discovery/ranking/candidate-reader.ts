import { searchFields } from "../search-document.ts";
import { type Segment, SEPARATOR } from "../index/segment.ts";
import { type AskedWord, isOwn } from "./ask.ts";

/** What the text of a document has of a query, beside how often each word is where. Rarities add up, so all but the shares are in the same unit. */
export interface TextEvidence {
  /** Places of the query's own words that it has. */
  readonly words: readonly number[];
  /** Σ worth of the query's words that it has. */
  readonly covered: number;
  /** Σ worth of pairs of words that stand next to each other in the query and here, in the same order. */
  readonly phrases: number;
  /** Of those, the ones in its name. */
  readonly namePhrases: number;
  /** Σ worth of pairs that stand next to each other in the query and within a few words here, in any order. */
  readonly near: number;
  /** 0 to 1: how much of what its name says the query asks for. */
  readonly nameShare: number;
  readonly descriptionShare: number;
  /** 0 to 1: how alike the query and the ask that is most like it are. */
  readonly askLikeness: number;
  /** 0 to 1: how much of the provider's name the query names. */
  readonly providerShare: number;
  /** 0 to 1: below 1 for a text that says the same few words over and over. */
  readonly honesty: number;
}

const NEAR = 4;
const NAME = searchFields.indexOf("name");
const ASKS = searchFields.indexOf("asks");
const DESCRIPTION = searchFields.indexOf("description");
const PROVIDER = searchFields.indexOf("provider");
const PARAMETERS = searchFields.indexOf("parameters");
/** A field is read up to here: who writes more has said what there is to say. */
const MOST_TERMS = 400;
/** Who gives more asks than this hopes that one of them fits by chance. */
const MANY_ASKS = 8;
/** A long text of so many terms or more has at least `VARIED · √terms` different ones, unless it is padded. */
const LONG_TEXT = 60;
const VARIED = 1.3;

/** Reads documents of one segment for one query. */
export interface CandidateReader {
  read(document: number): TextEvidence;
  /** Gives back what the query took. */
  close(): void;
}

/** Query places + 1 by term of a segment; all 0 between queries. */
export type TermPlaces = Uint16Array;

export interface ReaderParts {
  readonly segment: Segment;
  readonly places: TermPlaces;
  /** By term: which reading saw it last. */
  readonly lastSeen: Uint32Array;
  readonly words: readonly AskedWord[];
  readonly worths: Float64Array;
  /** Worth of a pair of query places that follow each other: at `first · words + second`; 0 for any other pair. */
  readonly pairWorths: Float64Array;
  readonly rarityOf: (term: number) => number;
}

export function createCandidateReader(parts: ReaderParts): CandidateReader {
  const { segment, places, lastSeen, words, worths, pairWorths, rarityOf } = parts;
  const { fieldStarts, fieldTerms } = segment;
  const asked = words.map(({ stem }) => segment.termOf(stem));
  asked.forEach((term, place) => {
    if (term >= 0) places[term] = place + 1;
  });
  const ownWords = words.filter(isOwn).length;
  const seenWord = new Uint32Array(words.length);
  const seenPair = new Uint32Array(words.length * words.length);
  const seenNear = new Uint32Array(words.length * words.length);
  let reading = 0;
  lastSeen.fill(0);

  function shareOf(start: number, end: number): number {
    let all = 0;
    let named = 0;
    for (let at = start; at < end; at += 1) {
      const term = fieldTerms[at] ?? 0;
      if (term === SEPARATOR || fieldTerms.indexOf(term, start) !== at) continue;
      const rarity = rarityOf(term);
      all += rarity;
      if (places[term] !== 0) named += rarity;
    }
    return all === 0 ? 0 : named / all;
  }

  // The query's own words come first.
  const askedWorth = worths.subarray(0, ownWords).reduce((sum, worth) => sum + worth, 0);

  /** Twice what both have, by what each has: 1 when they say the same. */
  function likenessOf(start: number, end: number): number {
    let best = 0;
    let asks = 1;
    let askStart = start;
    let [shared, own] = [0, 0];
    for (let at = start; at <= end; at += 1) {
      const term = fieldTerms[at] ?? SEPARATOR;
      if (at === end || term === SEPARATOR) {
        if (shared > 0) best = Math.max(best, (2 * shared) / (askedWorth + own));
        [shared, own] = [0, 0];
        if (at < end) asks += 1;
        askStart = at + 1;
        continue;
      }
      if (fieldTerms.indexOf(term, askStart) < at) continue;
      const place = (places[term] ?? 0) - 1;
      own += rarityOf(term);
      if (place >= 0) shared += worths[place] ?? 0;
    }
    return Math.min(1, best) * Math.min(1, MANY_ASKS / asks);
  }

  return {
    read(document) {
      reading += 1;
      const first = document * searchFields.length;
      const found: number[] = [];
      let [covered, phrases, namePhrases, near] = [0, 0, 0, 0];
      let [terms, different] = [0, 0];
      for (let field = 0; field < searchFields.length; field += 1) {
        const start = fieldStarts[first + field] ?? 0;
        const end = Math.min(fieldStarts[first + field + 1] ?? 0, start + MOST_TERMS);
        const isProse = field !== PARAMETERS;
        for (let at = start; at < end; at += 1) {
          const own = fieldTerms[at] ?? SEPARATOR;
          if (own === SEPARATOR) continue;
          terms += 1;
          if (lastSeen[own] !== reading) {
            lastSeen[own] = reading;
            different += 1;
          }
          const place = (places[own] ?? 0) - 1;
          if (place < 0) continue;
          if (seenWord[place] !== reading) {
            seenWord[place] = reading;
            if (place < ownWords) {
              covered += worths[place] ?? 0;
              found.push(place);
            }
          }
          if (!isProse) continue;
          const last = Math.min(end, at + NEAR + 1);
          for (let next = at + 1; next < last; next += 1) {
            const term = fieldTerms[next] ?? 0;
            if (term === SEPARATOR) break;
            const other = (places[term] ?? 0) - 1;
            if (other < 0 || other === place) continue;
            const ahead = place * words.length + other;
            const aheadWorth = pairWorths[ahead] ?? 0;
            if (next === at + 1 && aheadWorth > 0 && seenPair[ahead] !== reading) {
              seenPair[ahead] = reading;
              phrases += aheadWorth;
              if (field === NAME) namePhrases += aheadWorth;
            }
            for (const pair of [ahead, other * words.length + place]) {
              const worth = pairWorths[pair] ?? 0;
              if (worth === 0 || seenNear[pair] === reading) continue;
              seenNear[pair] = reading;
              near += worth;
            }
          }
        }
      }
      const share = (field: number) =>
        shareOf(
          fieldStarts[first + field] ?? 0,
          Math.min(fieldStarts[first + field + 1] ?? 0, (fieldStarts[first + field] ?? 0) + 40),
        );
      return {
        words: found,
        covered,
        phrases,
        namePhrases,
        near,
        nameShare: share(NAME),
        askLikeness: likenessOf(
          fieldStarts[first + ASKS] ?? 0,
          Math.min(fieldStarts[first + ASKS + 1] ?? 0, (fieldStarts[first + ASKS] ?? 0) + MOST_TERMS),
        ),
        descriptionShare: share(DESCRIPTION),
        providerShare: share(PROVIDER),
        honesty: terms < LONG_TEXT ? 1 : Math.min(1, different / (VARIED * Math.sqrt(terms))),
      };
    },
    close() {
      for (const term of asked) if (term >= 0) places[term] = 0;
    },
  };
}
