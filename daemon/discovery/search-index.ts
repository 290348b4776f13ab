import { analyseText, type QueryWord } from "./analyse-text.ts";
import { stemWord } from "./stem-word.ts";
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

const FIELDS: Readonly<Record<SearchField, { readonly boost: number; readonly b: number }>> = {
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

  private constructor(size: number, postings: ReadonlyMap<string, Postings>) {
    this.size = size;
    this.#postings = postings;
  }

  static build(documents: readonly SearchDocument[]): SearchIndex {
    const counted = searchFields.map((field) =>
      countWords(
        documents.map((document) => document[field]),
        FIELDS[field],
      ),
    );
    const words = new Set(counted.flatMap(({ byWord }) => [...byWord.keys()]));
    const postings = new Map<string, Postings>();
    for (const word of words) {
      postings.set(word, joinFields(counted.map(({ byWord }) => byWord.get(word) ?? [])));
    }
    return new SearchIndex(documents.length, postings);
  }

  /**
   * The documents of a query word. Of an identifier's stems (the whole and its parts) those count that the index knows, a
   * document by its mean over them. A word that is unknown as it stands may be two known ones written together.
   */
  lookUp({ text, stems }: Pick<QueryWord, "text" | "stems">): Postings {
    const known = stems.flatMap((stem) => this.#postings.get(stem) ?? []);
    const [only] = known;
    if (only === undefined) return this.#lookUpCompound(text);
    return known.length === 1 ? only : meanOf(known);
  }

  /** "timezones" → the documents that have both "time" and "zones". */
  #lookUpCompound(word: string): Postings {
    for (let end = MIN_COMPOUND_PART; end <= word.length - MIN_COMPOUND_PART; end += 1) {
      const head = this.#postings.get(stemWord(word.slice(0, end)));
      const tail = this.#postings.get(stemWord(word.slice(end)));
      if (head === undefined || tail === undefined) continue;
      const [inHead, inTail] = [new Set(head.documents), new Set(tail.documents)];
      const joined = meanOf([head, tail], (document) => inHead.has(document) && inTail.has(document));
      if (joined.documents.length > 0) return joined;
    }
    return NOTHING;
  }
}

interface FieldCounts {
  /** Word → pairs of document and weighted count. */
  readonly byWord: ReadonlyMap<string, (readonly [document: number, weight: number])[]>;
}

function countWords(texts: readonly string[], { boost, b }: { boost: number; b: number }): FieldCounts {
  const analysed = texts.map(analyseText);
  const meanLength = analysed.reduce((sum, words) => sum + words.length, 0) / Math.max(1, analysed.length) || 1;
  const byWord = new Map<string, (readonly [number, number])[]>();
  analysed.forEach((words, document) => {
    const norm = boost / (1 - b + (b * words.length) / meanLength);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      const weighted = [document, count * norm] as const;
      const places = byWord.get(word);
      if (places === undefined) byWord.set(word, [weighted]);
      else places.push(weighted);
    }
  });
  return { byWord };
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
