import { searchFields } from "../../documents/search-document.ts";
import { findString, stringAt, type StringTable } from "./string-table.ts";
import { readSections, type ShardHeader, type Sections } from "./shard-layout.ts";

/** The term that stands between two entries of a field that is a list. No document is found by it. */
export const SEPARATOR = 0;

/**
 * One part of the index, never changed: the documents of some providers, by provider slug and then by path, numbered from 0.
 * Everything large is a view on one shared buffer, which is also what the file holds and what threads hand each other.
 */
export interface Shard {
  readonly buffer: SharedArrayBuffer;
  /** How many documents there are. */
  readonly size: number;
  readonly termCount: number;
  /** −1 for a stem that no document has. */
  termOf(stem: string): number;
  stemOf(term: number): string;
  /** Where the postings of each term begin, and where the last end. */
  readonly postingStarts: Uint32Array;
  /** Ascending within a term. */
  readonly postingDocuments: Uint32Array;
  /** BM25F before saturation: Σ over fields: boost · count / (1 − b + b · length / mean length). */
  readonly postingWeights: Float32Array;
  /** Where the terms of field `f` of document `d` begin, at `d · fields + f`, fields as in `searchFields`; at the end their number. */
  readonly fieldStarts: Uint32Array;
  /** The terms of every field in their order, with separators between the entries of a list. */
  readonly fieldTerms: Uint32Array;
  /** Mean number of terms by field, separators not counted: those of this part, or of the one that it was built to stand beside. */
  readonly meanLengths: readonly number[];
  /** Of a document vector; 0 when documents have none. */
  readonly dimensions: number;
  /** Unit vectors, `dimensions` numbers a document: times the document's scale. */
  readonly vectors: Int8Array;
  readonly vectorScales: Float32Array;
  /** The number of a document's provider. */
  readonly groups: Uint32Array;
  /** Provider slugs, ascending. */
  readonly groupNames: readonly string[];
  /** Digests of the providers' documents, by group. */
  readonly groupDigests: readonly string[];
  /** Where the documents of each provider begin, and where the last end. */
  readonly groupStarts: Uint32Array;
  pathOf(document: number): string;
}

/** The shard that a buffer of `writeShard` holds. */
export function openShard(buffer: SharedArrayBuffer): Shard {
  const { header, sections } = readSections(buffer);
  const terms = { bytes: sections.termBytes, starts: sections.termStarts, slots: sections.termSlots };
  const paths = { bytes: sections.pathBytes, starts: sections.pathStarts, slots: new Uint32Array(0) };
  return { ...header, ...largeParts(sections), ...lookups(terms, paths), buffer };
}

function largeParts(sections: Sections): Omit<Shard, keyof ShardHeader | "buffer" | keyof ReturnType<typeof lookups>> {
  const { postingStarts, postingDocuments, postingWeights, fieldStarts, fieldTerms } = sections;
  const { vectors, vectorScales, groups, groupStarts } = sections;
  return {
    postingStarts,
    postingDocuments,
    postingWeights,
    fieldStarts,
    fieldTerms,
    vectors,
    vectorScales,
    groups,
    groupStarts,
  };
}

function lookups(terms: StringTable, paths: StringTable) {
  return {
    termCount: terms.starts.length - 1,
    termOf(stem: string): number {
      const term = findString(terms, stem);
      return term === SEPARATOR ? -1 : term;
    },
    stemOf: (term: number): string => stringAt(terms, term),
    pathOf: (document: number): string => stringAt(paths, document),
  };
}

/** The terms of one field of a document, a view: separators between the entries of a list. */
export function fieldTermsOf(shard: Shard, document: number, field: number): Uint32Array {
  const place = document * searchFields.length + field;
  return shard.fieldTerms.subarray(shard.fieldStarts[place], shard.fieldStarts[place + 1]);
}
