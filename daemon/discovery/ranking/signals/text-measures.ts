import { searchFields } from "../../documents/search-document.ts";
import { SEPARATOR } from "../../index/shard/shard.ts";
import { fieldRange, type TextReading } from "./text-reading.ts";

const ASKS = searchFields.indexOf("asks");
/** For a share, only the beginning of a text counts. */
const MOST_SHARED_TERMS = 40;
/** An author with more asks than this may be hoping that one of them fits by chance; the bundled endpoints have twenty. */
const MANY_ASKS = 24;
/** A long text of so many terms or more has at least `VARIED · √terms` different ones, unless it is padded. */
const LONG_TEXT = 60;
const VARIED = 1.3;

/** 0 to 1: the share of a field's distinct words that the query has, by weight. */
export function askedShare({ shard, asked, seen, rarityOf }: TextReading, document: number, field: number): number {
  const [start, end] = fieldRange(shard, document, field, MOST_SHARED_TERMS);
  seen.beginStretch();
  let [all, named] = [0, 0];
  for (let at = start; at < end; at += 1) {
    const term = shard.fieldTerms[at] ?? SEPARATOR;
    if (term === SEPARATOR || !seen.isNew(term)) continue;
    const rarity = rarityOf(term);
    all += rarity;
    const place = asked.placeOf(term);
    // A word that stands for a query's word counts only with its own weight.
    if (place >= 0) named += rarity * (asked.words[place]?.weight ?? 0);
  }
  return all === 0 ? 0 : named / all;
}

/**
 * 0 to 1: the similarity of the closest ask: twice the common weight, divided by the sum of both; 1 when they are the
 * same.
 */
export function askLikeness({ shard, asked, seen, rarityOf }: TextReading, document: number): number {
  const [start, end] = fieldRange(shard, document, ASKS);
  seen.beginStretch();
  let [best, asks] = [0, 1];
  let [shared, own] = [0, 0];
  for (let at = start; at <= end; at += 1) {
    const term = at === end ? SEPARATOR : (shard.fieldTerms[at] ?? SEPARATOR);
    if (term === SEPARATOR) {
      if (shared > 0) best = Math.max(best, (2 * shared) / (asked.ownWorth + own));
      [shared, own] = [0, 0];
      seen.beginStretch();
      if (at < end) asks += 1;
      continue;
    }
    if (!seen.isNew(term)) continue;
    own += rarityOf(term);
    const place = asked.placeOf(term);
    if (place >= 0) shared += asked.worths[place] ?? 0;
  }
  return Math.min(1, best) * Math.min(1, MANY_ASKS / asks);
}

/** 0 to 1: below 1 for a text that repeats the same few words. */
export function honesty({ shard, seen }: Pick<TextReading, "shard" | "seen">, document: number): number {
  const first = document * searchFields.length;
  const { fieldStarts, fieldTerms } = shard;
  if ((fieldStarts[first + searchFields.length] ?? 0) - (fieldStarts[first] ?? 0) < LONG_TEXT) return 1;
  seen.beginStretch();
  let [terms, different] = [0, 0];
  for (let field = 0; field < searchFields.length; field += 1) {
    const [start, end] = fieldRange(shard, document, field);
    for (let at = start; at < end; at += 1) {
      const term = fieldTerms[at] ?? SEPARATOR;
      if (term === SEPARATOR) continue;
      terms += 1;
      if (seen.isNew(term)) different += 1;
    }
  }
  return terms < LONG_TEXT ? 1 : Math.min(1, different / (VARIED * Math.sqrt(terms)));
}
