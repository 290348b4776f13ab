import { createTextAnalyser } from "../text/analyse-text.ts";
import { type SearchDocument, searchFields } from "./search-document.ts";

/** The documents that have a word, ascending, and how well each matches it. */
export interface Postings {
  readonly documents: Uint32Array;
  readonly matches: Float32Array;
}

/** What a search index is made of. */
export interface IndexParts {
  readonly size: number;
  /** Undefined for a word that no document has. */
  postingsOf(word: string): Postings | undefined;
  /** Mean number of words, by the place of the field. */
  readonly meanLengths: readonly number[];
}

export interface IndexWeights {
  /** What one occurrence is worth in a field, by its place, of so many words. */
  readonly normOf: (field: number, length: number, meanLength: number) => number;
  /** The sum over a document's occurrences → its match. */
  readonly matchOf: (weight: number) => number;
}

/** One step is as long as so many words of so many documents take: descriptions may be long. */
const STEP_DOCUMENTS = 250;
const STEP_WORDS = 20_000;

/**
 * Builds an index in two passes over flat arrays, so that a hundred thousand documents cost little more than the words that
 * they have. Yields now and then, for who wants to do something else meanwhile.
 */
export function* buildIndexParts(
  documents: Iterable<SearchDocument>,
  weights: IndexWeights,
): Generator<void, IndexParts> {
  const corpus = new Corpus();
  let size = 0;
  const isStep = stepper();
  for (const document of documents) {
    corpus.add(size, document);
    size += 1;
    if (isStep(corpus.words.length)) yield;
  }
  return yield* invert(corpus, size, weights);
}

/** Asked after each document with the words of all so far: is it time to yield? */
function stepper(): (words: number) => boolean {
  let documents = 0;
  let wordsBefore = 0;
  return (words) => {
    documents += 1;
    if (documents < STEP_DOCUMENTS && words - wordsBefore < STEP_WORDS) return false;
    documents = 0;
    wordsBefore = words;
    return true;
  };
}

/** The words of all documents as numbers, field by field and document by document. */
class Corpus {
  readonly ids = new Map<string, number>();
  readonly words = new NumberList();
  /** One for each field of each document. */
  readonly lengths = new NumberList();
  /** In how many documents each word is. */
  readonly frequencies: number[] = [];
  readonly #lastSeenIn: number[] = [];
  readonly #analyse = createTextAnalyser();

  add(number: number, document: SearchDocument): void {
    for (const field of searchFields) {
      const words = this.#analyse(document[field]);
      this.lengths.push(words.length);
      for (const word of words) this.words.push(this.#idOf(word, number));
    }
  }

  meanLengths(documents: number): number[] {
    const totals = searchFields.map(() => 0);
    for (let place = 0; place < this.lengths.length; place += 1) {
      const field = place % searchFields.length;
      totals[field] = (totals[field] ?? 0) + this.lengths.at(place);
    }
    return totals.map((total) => total / Math.max(1, documents) || 1);
  }

  #idOf(word: string, document: number): number {
    const id = this.ids.get(word) ?? this.ids.size;
    if (id === this.ids.size) this.ids.set(word, id);
    if (this.#lastSeenIn[id] !== document) {
      this.#lastSeenIn[id] = document;
      this.frequencies[id] = (this.frequencies[id] ?? 0) + 1;
    }
    return id;
  }
}

function* invert(corpus: Corpus, size: number, { normOf, matchOf }: IndexWeights): Generator<void, IndexParts> {
  const meanLengths = corpus.meanLengths(size);
  const starts = startsOf(corpus.frequencies);
  const ends = starts.slice();
  const total = starts[corpus.frequencies.length] ?? 0;
  const documents = new Uint32Array(total);
  const matches = new Float32Array(total);
  let read = 0;
  const isStep = stepper();
  for (let number = 0; number < size; number += 1) {
    const sums = new Map<number, number>();
    for (const [field] of searchFields.entries()) {
      const length = corpus.lengths.at(number * searchFields.length + field);
      const norm = normOf(field, length, meanLengths[field] ?? 1);
      for (const end = read + length; read < end; read += 1) {
        const id = corpus.words.at(read);
        sums.set(id, (sums.get(id) ?? 0) + norm);
      }
    }
    for (const [id, weight] of sums) {
      const place = ends[id] ?? 0;
      documents[place] = number;
      matches[place] = matchOf(weight);
      ends[id] = place + 1;
    }
    if (isStep(read)) yield;
  }
  // Not the corpus: what it holds of the documents is needed no more.
  const { ids } = corpus;
  return {
    size,
    meanLengths,
    postingsOf(word) {
      const id = ids.get(word);
      if (id === undefined) return undefined;
      const [from, to] = [starts[id], starts[id + 1]];
      return { documents: documents.subarray(from, to), matches: matches.subarray(from, to) };
    },
  };
}

/** Where the postings of each word begin, and where the last end. */
function startsOf(frequencies: readonly number[]): Uint32Array {
  const starts = new Uint32Array(frequencies.length + 1);
  for (const [id, frequency] of frequencies.entries()) starts[id + 1] = (starts[id] ?? 0) + frequency;
  return starts;
}

/** Numbers from 0 to 2³² − 1, four bytes each. */
class NumberList {
  length = 0;
  #numbers = new Uint32Array(1_024);

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const longer = new Uint32Array(this.length * 2);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.length] = number;
    this.length += 1;
  }

  at(place: number): number {
    return this.#numbers[place] ?? 0;
  }
}
