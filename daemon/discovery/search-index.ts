import { analyseText, type QueryWord } from "../text/analyse-text.ts";
import { buildIndexParts, type IndexParts, type Postings } from "./index-builder.ts";
import { stemWord } from "../text/stem-word.ts";
import { type SearchDocument, type SearchField, searchFields } from "./search-document.ts";

/**
 * Words → documents: a fielded probabilistic index (BM25F).
 *
 *   tf(word, doc)    = Σ over fields: boost · count / (1 − b + b · length / mean length)
 *   match(word, doc) = tf / (K + tf), between 0 and 1
 *
 * How much a word says (its rarity) and what a match is worth is for `rank.ts` to judge.
 */
const K = 1.4;

interface FieldWeighting {
  readonly boost: number;
  readonly b: number;
}

const FIELDS: Readonly<Record<SearchField, FieldWeighting>> = {
  name: { boost: 3, b: 0.5 },
  asks: { boost: 2, b: 0.5 },
  path: { boost: 1.5, b: 0.5 },
  tags: { boost: 1, b: 0.3 },
  categories: { boost: 0.8, b: 0.3 },
  description: { boost: 1.2, b: 0.7 },
  provider: { boost: 1, b: 0.3 },
  parameters: { boost: 0.35, b: 0.8 },
};

const WEIGHTINGS = searchFields.map((field) => FIELDS[field]);
const NO_WEIGHT: FieldWeighting = { boost: 0, b: 0 };

/** Shorter parts would be found in any jumble of letters. */
const MIN_COMPOUND_PART = 4;

const NOTHING: Postings = { documents: new Uint32Array(0), matches: new Float32Array(0) };

export class SearchIndex {
  /** How many documents there are; they are numbered from 0 in the order in which they were given. */
  readonly size: number;
  readonly #parts: IndexParts;

  private constructor(parts: IndexParts) {
    this.size = parts.size;
    this.#parts = parts;
  }

  static build(documents: Iterable<SearchDocument>): SearchIndex {
    const steps = SearchIndex.buildInSteps(documents);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** As `build`; what is between two steps takes some milliseconds. */
  static *buildInSteps(documents: Iterable<SearchDocument>): Generator<void, SearchIndex> {
    return new SearchIndex(yield* buildIndexParts(documents, { normOf: normOfField, matchOf }));
  }

  /**
   * The documents of a query word. Of an identifier's stems (the whole and its parts) those count that the index knows, a
   * document by its mean over them. A word that is unknown as it stands may be two known ones written together.
   */
  lookUp(word: Pick<QueryWord, "text" | "stems">): Postings {
    return this.find(word).postings;
  }

  /** As `lookUp`, with the stems that the documents are found by. */
  find({ text, stems }: Pick<QueryWord, "text" | "stems">): FoundWord {
    const forms = stems.filter((stem) => this.#parts.postingsOf(stem) !== undefined);
    if (forms.length === 0) return this.#findCompound(text);
    const known = forms.map((form) => this.#parts.postingsOf(form) ?? NOTHING);
    const [only] = known;
    return { forms, isCompound: false, postings: known.length === 1 && only !== undefined ? only : meanOf(known) };
  }

  /**
   * How well a document matches a form of a word, field by field where it does; their sum is `match`. The document is one of
   * those that the index was built of.
   */
  matcher(document: SearchDocument): (form: string) => FieldMatch[] {
    const fields = searchFields.map((field, place) => {
      const words = analyseText(document[field]);
      return {
        field,
        counts: countEach(words),
        norm: normOfField(place, words.length, this.#parts.meanLengths[place] ?? 1),
      };
    });
    return (form) => {
      const weights = fields.map(({ field, counts, norm }) => ({ field, weight: (counts.get(form) ?? 0) * norm }));
      const all = weights.reduce((sum, { weight }) => sum + weight, 0);
      return weights
        .filter(({ weight }) => weight > 0)
        .map(({ field, weight }) => ({ field, match: weight / (K + all) }));
    };
  }

  /** "timezones" → the documents that have both "time" and "zones". */
  #findCompound(word: string): FoundWord {
    for (let end = MIN_COMPOUND_PART; end <= word.length - MIN_COMPOUND_PART; end += 1) {
      const forms = [stemWord(word.slice(0, end)), stemWord(word.slice(end))];
      const [head, tail] = forms.map((form) => this.#parts.postingsOf(form));
      if (head === undefined || tail === undefined) continue;
      const [inHead, inTail] = [new Set(head.documents), new Set(tail.documents)];
      const joined = meanOf([head, tail], (document) => inHead.has(document) && inTail.has(document));
      if (joined.documents.length > 0) return { forms, isCompound: true, postings: joined };
    }
    return { forms: [], isCompound: false, postings: NOTHING };
  }
}

/** What a query word is looked up by, and the documents that this finds. */
export interface FoundWord {
  /** Stems; none for a word that is unknown. */
  readonly forms: readonly string[];
  /** A document must have all of the forms; otherwise any of them will do. */
  readonly isCompound: boolean;
  readonly postings: Postings;
}

export interface FieldMatch {
  readonly field: SearchField;
  readonly match: number;
}

function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** What one occurrence is worth in a field of so many words. */
function normOfField(place: number, length: number, meanLength: number): number {
  const { boost, b } = WEIGHTINGS[place] ?? NO_WEIGHT;
  return boost / (1 - b + (b * length) / meanLength);
}

function matchOf(weight: number): number {
  return weight / (K + weight);
}

function meanOf(several: readonly Postings[], accept: (document: number) => boolean = () => true): Postings {
  const sums = new Map<number, number>();
  for (const { documents, matches } of several) {
    documents.forEach((document, place) => {
      if (accept(document)) sums.set(document, (sums.get(document) ?? 0) + (matches[place] ?? 0));
    });
  }
  return toPostings(sums, (sum) => sum / several.length);
}

function toPostings(sums: ReadonlyMap<number, number>, toMatch: (sum: number) => number): Postings {
  const documents = Uint32Array.from(sums.keys()).sort();
  return { documents, matches: Float32Array.from(documents, (document) => toMatch(sums.get(document) ?? 0)) };
}
