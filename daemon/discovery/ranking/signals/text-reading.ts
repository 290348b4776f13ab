import { searchFields } from "../../documents/search-document.ts";
import type { Shard } from "../../index/shard/shard.ts";
import type { AskedTerms } from "./asked-terms.ts";

/** What reading the texts of one shard for one query takes. */
export interface TextReading {
  readonly shard: Shard;
  readonly asked: AskedTerms;
  readonly seen: SeenTerms;
  readonly rarityOf: (term: number) => number;
}

/** Terms that a stretch of text has had, one stretch after another. `lastSeen` has a number for each term of the shard. */
export class SeenTerms {
  readonly #lastSeen: Uint32Array;
  #stretch = 0;

  constructor(lastSeen: Uint32Array) {
    lastSeen.fill(0);
    this.#lastSeen = lastSeen;
  }

  /** What was seen before counts as not seen. */
  beginStretch(): void {
    this.#stretch += 1;
  }

  /** True the first time in a stretch. */
  isNew(term: number): boolean {
    if (this.#lastSeen[term] === this.#stretch) return false;
    this.#lastSeen[term] = this.#stretch;
    return true;
  }
}

/** A field is read up to here: who writes more has said what there is to say. */
const MOST_TERMS = 400;

/** Where the terms of a field stand in `shard.fieldTerms`. */
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
