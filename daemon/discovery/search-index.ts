import { analyseText, createTextAnalyser, type QueryWord } from "../text/analyse-text.ts";
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

/** The documents that have a word, ascending, and how well each matches it. */
export interface Postings {
  readonly documents: Uint32Array;
  readonly matches: Float32Array;
}

/** Shorter parts would be found in any jumble of letters. */
const MIN_COMPOUND_PART = 4;

const NOTHING: Postings = { documents: new Uint32Array(0), matches: new Float32Array(0) };

export class SearchIndex {
  /** How many documents there are; they are numbered from 0 in the order in which they were given. */
  readonly size: number;
  readonly #postings: ReadonlyMap<string, Postings>;
  /** Mean number of words, by the place of the field. */
  readonly #meanLengths: readonly number[];

  private constructor(size: number, postings: ReadonlyMap<string, Postings>, meanLengths: readonly number[]) {
    this.size = size;
    this.#postings = postings;
    this.#meanLengths = meanLengths;
  }

  static build(documents: readonly SearchDocument[]): SearchIndex {
    const analyse = createTextAnalyser();
    const counted = searchFields.map((field) =>
      countWords(
        documents.map((document) => analyse(document[field])),
        FIELDS[field],
      ),
    );
    const words = new Set(counted.flatMap(({ byWord }) => [...byWord.keys()]));
    const postings = new Map<string, Postings>();
    for (const word of words) {
      postings.set(word, joinFields(counted.map(({ byWord }) => byWord.get(word) ?? [])));
    }
    return new SearchIndex(
      documents.length,
      postings,
      counted.map(({ meanLength }) => meanLength),
    );
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
    const forms = stems.filter((stem) => this.#postings.has(stem));
    if (forms.length === 0) return this.#findCompound(text);
    const known = forms.map((form) => this.#postings.get(form) ?? NOTHING);
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
        norm: normOf(words.length, this.#meanLengths[place] ?? 1, FIELDS[field]),
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
      const [head, tail] = forms.map((form) => this.#postings.get(form));
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

interface FieldCounts {
  readonly meanLength: number;
  /** Word → pairs of document and weighted count. */
  readonly byWord: ReadonlyMap<string, (readonly [document: number, weight: number])[]>;
}

function countWords(analysed: readonly (readonly string[])[], weighting: FieldWeighting): FieldCounts {
  const meanLength = analysed.reduce((sum, words) => sum + words.length, 0) / Math.max(1, analysed.length) || 1;
  const byWord = new Map<string, (readonly [number, number])[]>();
  analysed.forEach((words, document) => {
    const norm = normOf(words.length, meanLength, weighting);
    for (const [word, count] of countEach(words)) {
      const weighted = [document, count * norm] as const;
      const places = byWord.get(word);
      if (places === undefined) byWord.set(word, [weighted]);
      else places.push(weighted);
    }
  });
  return { meanLength, byWord };
}

function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** What one occurrence is worth in a field of so many words. */
function normOf(length: number, meanLength: number, { boost, b }: FieldWeighting): number {
  return boost / (1 - b + (b * length) / meanLength);
}

function joinFields(fields: readonly (readonly (readonly [number, number])[])[]): Postings {
  const sums = new Map<number, number>();
  for (const places of fields) {
    for (const [document, weight] of places) sums.set(document, (sums.get(document) ?? 0) + weight);
  }
  return toPostings(sums, (weight) => weight / (K + weight));
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

function toPostings(sums: ReadonlyMap<number, number>, matchOf: (sum: number) => number): Postings {
  const documents = Uint32Array.from(sums.keys()).sort();
  return { documents, matches: Float32Array.from(documents, (document) => matchOf(sums.get(document) ?? 0)) };
}
