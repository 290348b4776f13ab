import { searchFields } from "../../documents/search-document.ts";
import { findString, stringAt, type StringTable } from "./string-table.ts";
import { readSections, type ShardHeader, type Sections } from "./shard-layout.ts";

/** The term between two entries of a list field. It matches no query. */
export const SEPARATOR = 0;

/**
 * One immutable part of the index: the documents of some providers, by provider slug and then by path, numbered from 0.
 * All large parts are views on one shared buffer, which is also the content of the file and what threads exchange.
 */
export interface Shard {
  readonly buffer: SharedArrayBuffer;
  /** How many documents there are. */
  readonly size: number;
  readonly termCount: number;
  /** −1 for an unknown stem. */
  termOf(stem: string): number;
  stemOf(term: number): string;
  /** The start of each term's postings, and the end of the last ones. */
  readonly postingStarts: Uint32Array;
  /** Ascending within a term. */
  readonly postingDocuments: Uint32Array;
  /** BM25F before saturation: Σ over fields: boost · count / (1 − b + b · length / mean length). */
  readonly postingWeights: Float32Array;
  /**
   * The start of the terms of field `f` of document `d`, at `d · fields + f`, with fields as in `searchFields`; the
   * last element is the total number.
   */
  readonly fieldStarts: Uint32Array;
  /** The terms of every field in order, with separators between the entries of a list. */
  readonly fieldTerms: Uint32Array;
  /** Mean number of terms by field, without separators: those of this shard, or of the one that it complements. */
  readonly meanLengths: readonly number[];
  /** Length of a document vector; 0 when documents have none. */
  readonly dimensions: number;
  /** Unit vectors with `dimensions` numbers for each document, to be multiplied by the document's scale. */
  readonly vectors: Int8Array;
  readonly vectorScales: Float32Array;
  /** The number of a document's provider. */
  readonly groups: Uint32Array;
  /** Provider slugs, ascending. */
  readonly groupNames: readonly string[];
  /** Digests of the providers' documents, by group. */
  readonly groupDigests: readonly string[];
  /** The start of each provider's documents, and the end of the last ones. */
  readonly groupStarts: Uint32Array;
  pathOf(document: number): string;
}

/** The shard in a buffer that `writeShard` made. */
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

/** A view of the terms of one field of a document, with separators between the entries of a list. */
export function fieldTermsOf(shard: Shard, document: number, field: number): Uint32Array {
  const place = document * searchFields.length + field;
  return shard.fieldTerms.subarray(shard.fieldStarts[place], shard.fieldStarts[place + 1]);
}
