import type { IndexView } from "../index/index-view.ts";
import { createBestOf } from "./best-of.ts";

/**
 * How near documents are to a query in the space of the word vectors.
 */
export interface Similarity {
  /** The documents nearest to the query: those of the whole view, whichever words they have. */
  readonly nearest: readonly number[];
  /** A cosine, −1 to 1. */
  cosineOf(document: number): number;
  /** The mean cosine of the endpoints of the document's provider; its own where they are too many to have one subject. */
  providerCosineOf(document: number): number;
}

/** Up to so many documents each is compared in full; of more, by the dimensions that say most, and the best of those in full. */
const FULL_SCAN = 2_000;
const COARSE_DIMENSIONS = 32;
const COARSE_FACTOR = 6;
/** A provider of more endpoints is no one subject. */
const ONE_SUBJECT = 60;
/** So many of them are looked at. */
const LOOKED_AT = 16;
/** Whole numbers multiply faster. */
const QUERY_SCALE = 1_000;

/** Compares a unit vector with all documents, in memory that is taken once. A view without vectors has no similar documents. */
export function createSimilarityScan(
  view: IndexView,
): (query: Float32Array, count: number, accept: (document: number) => boolean) => Similarity {
  const isCoarse = view.bound > FULL_SCAN;

  return (query, count, accept) => {
    const whole = Int32Array.from(query, (value) => Math.round(value * QUERY_SCALE));
    const scanned = createBestOf(isCoarse ? count * COARSE_FACTOR : count, view.compare);
    for (const { segment, offset, dead } of count === 0 ? [] : view.segments) {
      const { vectors, vectorScales, dimensions, size } = segment;
      if (dimensions !== query.length) continue;
      const width = isCoarse ? Math.min(COARSE_DIMENSIONS, dimensions) : dimensions;
      for (let local = 0; local < size; local += 1) {
        if (dead !== undefined && dead[local] === 1) continue;
        const score = dot(whole, vectors, local * dimensions, width) * (vectorScales[local] ?? 0);
        if (scanned.isWorth(score) && accept(local + offset)) scanned.offer(local + offset, score);
      }
    }

    const cosineOf = (document: number): number => {
      const part = view.segments.findLast(({ offset }) => offset <= document);
      if (part === undefined || part.segment.dimensions !== query.length) return 0;
      const { vectors, vectorScales, dimensions } = part.segment;
      const local = document - part.offset;
      return (dot(whole, vectors, local * dimensions, dimensions) * (vectorScales[local] ?? 0)) / QUERY_SCALE;
    };

    const providers = new Map<number, number>();
    const providerCosineOf = (document: number): number => {
      const part = view.segments.findLast(({ offset }) => offset <= document);
      if (part === undefined) return 0;
      const { groups, groupStarts } = part.segment;
      const group = groups[document - part.offset] ?? 0;
      const [start = 0, end = 0] = [groupStarts[group], groupStarts[group + 1]];
      if (end - start > ONE_SUBJECT) return cosineOf(document);
      const known = providers.get(start + part.offset);
      if (known !== undefined) return known;
      const step = Math.max(1, (end - start) / LOOKED_AT);
      let [sum, looked] = [0, 0];
      for (let local = start; local < end; local += step) {
        sum += cosineOf(Math.floor(local) + part.offset);
        looked += 1;
      }
      providers.set(start + part.offset, sum / looked);
      return sum / looked;
    };

    if (!isCoarse) return { nearest: scanned.take().map(({ document }) => document), cosineOf, providerCosineOf };
    const best = createBestOf(count, view.compare);
    for (const { document } of scanned.take()) best.offer(document, cosineOf(document));
    return { nearest: best.take().map(({ document }) => document), cosineOf, providerCosineOf };
  };
}

/** Four sums at once: they do not wait for each other. */
function dot(query: Int32Array, vectors: Int8Array, from: number, width: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < width; at += 4) {
    a = (a + Math.imul(query[at] ?? 0, vectors[from + at] ?? 0)) | 0;
    b = (b + Math.imul(query[at + 1] ?? 0, vectors[from + at + 1] ?? 0)) | 0;
    c = (c + Math.imul(query[at + 2] ?? 0, vectors[from + at + 2] ?? 0)) | 0;
    d = (d + Math.imul(query[at + 3] ?? 0, vectors[from + at + 3] ?? 0)) | 0;
  }
  return a + b + c + d;
}
