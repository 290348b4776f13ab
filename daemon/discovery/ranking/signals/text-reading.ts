import { searchFields } from "../../documents/search-document.ts";
import type { Shard } from "../../index/shard/shard.ts";
import type { AskedTerms } from "./asked-terms.ts";

/** What is needed to read the texts of one shard for one query. */
export interface TextReading {
  readonly shard: Shard;
  readonly asked: AskedTerms;
  readonly seen: SeenTerms;
  readonly rarityOf: (term: number) => number;
}

/**
 * The terms seen in a stretch of text, one stretch after another. `lastSeen` has a number for each term of the shard.
 */
export class SeenTerms {
  readonly #lastSeen: Uint32Array;
  #stretch = 0;

  constructor(lastSeen: Uint32Array) {
    lastSeen.fill(0);
    this.#lastSeen = lastSeen;
  }

  /** Earlier terms no longer count as seen. */
  beginStretch(): void {
    this.#stretch += 1;
  }

  /** True for the first occurrence in a stretch. */
  isNew(term: number): boolean {
    if (this.#lastSeen[term] === this.#stretch) return false;
    this.#lastSeen[term] = this.#stretch;
    return true;
  }
}

/** The number of terms that are read of a field; the rest adds nothing. */
const MOST_TERMS = 400;

/** The range of a field's terms in `shard.fieldTerms`. */
export function fieldRange(
  { fieldStarts }: Shard,
  document: number,
  field: number,
  mostTerms = MOST_TERMS,
): readonly [start: number, end: number] {
  const place = document * searchFields.length + field;
  const start = fieldStarts[place] ?? 0;
  return [start, Math.min(fieldStarts[place + 1] ?? 0, start + mostTerms)];
}
