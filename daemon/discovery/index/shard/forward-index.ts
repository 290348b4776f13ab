import { createTextAnalyser } from "../../../text/analyse-text.ts";
import { type SearchDocument, type SearchField, searchFields } from "../../documents/search-document.ts";
import { fieldTermsOf, type Shard, SEPARATOR } from "./shard.ts";
import { VectorList } from "./vector-list.ts";

/** An endpoint as it is indexed. */
export interface IndexedDocument {
  readonly provider: string;
  readonly path: string;
  readonly fields: SearchDocument;
}

/** The stems of each field, without separators. */
export type FieldStems = Readonly<Record<SearchField, readonly string[]>>;

/** The unit vector of a document; undefined for one without. All have the same length. */
export type VectorOf = (stems: FieldStems) => Float32Array | undefined;

/** Fields with one entry per line: two adjacent words from different entries are no phrase. */
const LISTS: ReadonlySet<SearchField> = new Set(["asks", "tags", "categories", "provider", "parameters"]);

/** Entries of up to this many characters are cached, up to this many of them. */
const KNOWN_LENGTH = 80;
const MOST_KNOWN = 20_000;

/** Numbers from 0 to 2³² − 1 in order, four bytes each; grows as it is filled. */
class NumberList {
  length = 0;
  #numbers: Uint32Array;

  constructor(capacity = 1_024) {
    this.#numbers = new Uint32Array(capacity);
  }

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const longer = new Uint32Array(this.length * 2);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.length] = number;
    this.length += 1;
  }

  /** A view of the numbers; valid until the next push. */
  view(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }
}

/**
 * The terms of documents as numbers, in order: the input for inverting an index. Documents come by provider slug and
 * then by path. A document that is copied from a shard has the same effect as its text.
 */
export class ForwardIndex {
  readonly stems: string[] = [""];
  readonly fieldTerms: NumberList;
  readonly fieldStarts: NumberList;
  readonly paths: string[] = [];
  readonly groups: NumberList;
  readonly groupNames: string[] = [];
  readonly groupDigests: string[] = [];
  readonly groupStarts: number[] = [];
  readonly vectors = new VectorList();
  readonly #terms = new Map<string, number>([["", SEPARATOR]]);
  readonly #analyse = createTextAnalyser();
  readonly #knownEntries = new Map<string, readonly string[]>();
  readonly #vectorOf: VectorOf | undefined;

  constructor({
    vectorOf,
    expectedSize = 64,
  }: {
    readonly vectorOf?: VectorOf | undefined;
    readonly expectedSize?: number;
  }) {
    this.#vectorOf = vectorOf;
    this.fieldTerms = new NumberList(expectedSize * 48);
    this.fieldStarts = new NumberList(expectedSize * searchFields.length + 1);
    this.groups = new NumberList(expectedSize);
  }

  get size(): number {
    return this.paths.length;
  }

  /** The documents that follow belong to this provider; it may be the same as before. */
  beginGroup(name: string, digest: string): void {
    if (this.groupNames.at(-1) === name) return;
    this.groupNames.push(name);
    this.groupDigests.push(digest);
    this.groupStarts.push(this.size);
  }

  add(path: string, fields: SearchDocument): void {
    const stems = {} as Record<SearchField, string[]>;
    for (const field of searchFields) {
      const entries = LISTS.has(field) ? fields[field].split("\n") : [fields[field]];
      const stemsOfEntries = entries.map((entry) => this.#stemsOf(entry)).filter((entry) => entry.length > 0);
      this.fieldStarts.push(this.fieldTerms.length);
      for (const [place, entry] of stemsOfEntries.entries()) {
        if (place > 0) this.fieldTerms.push(SEPARATOR);
        for (const stem of entry) this.fieldTerms.push(this.#termOf(stem));
      }
      stems[field] = stemsOfEntries.flat();
    }
    this.vectors.add(this.#vectorOf?.(stems));
    this.#endDocument(path);
  }

  /** `terms`: for each term of the shard, its number here + 1, or 0 while unknown; filled by this call. */
  addFrom(shard: Shard, document: number, terms: Uint32Array): void {
    for (const [field] of searchFields.entries()) {
      this.fieldStarts.push(this.fieldTerms.length);
      for (const there of fieldTermsOf(shard, document, field)) {
        const here = (terms[there] ?? 0) - 1;
        if (here >= 0) {
          this.fieldTerms.push(here);
          continue;
        }
        const term = this.#termOf(shard.stemOf(there));
        terms[there] = term + 1;
        this.fieldTerms.push(term);
      }
    }
    this.vectors.addFrom(shard, document);
    this.#endDocument(shard.pathOf(document));
  }

  /** Tags, parameters and names of providers repeat often. */
  #stemsOf(entry: string): readonly string[] {
    if (entry.length > KNOWN_LENGTH) return this.#analyse(entry);
    const known = this.#knownEntries.get(entry);
    if (known !== undefined) return known;
    const stems = this.#analyse(entry);
    if (this.#knownEntries.size === MOST_KNOWN) this.#knownEntries.clear();
    this.#knownEntries.set(entry, stems);
    return stems;
  }

  #endDocument(path: string): void {
    this.groups.push(this.groupNames.length - 1);
    this.paths.push(path);
  }

  #termOf(stem: string): number {
    const known = this.#terms.get(stem);
    if (known !== undefined) return known;
    // A lone surrogate has no UTF-8 form: a word that was cut there ends in the replacement character.
    const wellFormed = stem.replace(/\p{Surrogate}/gu, "\uFFFD");
    const term = this.#terms.get(wellFormed) ?? this.stems.length;
    if (term === this.stems.length) this.stems.push(wellFormed);
    this.#terms.set(wellFormed, term).set(stem, term);
    return term;
  }
}
