import { searchFields } from "../search-document.ts";
import { fieldWeights } from "./field-weights.ts";
import { joinWordTables, toByteRow, type WordTable } from "./word-table.ts";
import { createWordVectors, toUnit, type DocumentStems, type WordVectors } from "./word-vectors.ts";

/** More words of a catalog than this get no vector: the rarest are left out. */
const MAX_CATALOG_WORDS = 16_384;

/**
 * Gives vectors to words of a catalog that the model does not know, names of products above all: each points where the documents
 * point that have it, and weighs by how few they are. Goes over the documents twice. What comes back has the rows of the model
 * first and unchanged.
 */
export function learnCatalogWords(model: WordVectors, documents: Iterable<DocumentStems>): WordVectors {
  const { counts, size } = countUnknown(model, documents);
  const stems = [...counts]
    .sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
    .slice(0, MAX_CATALOG_WORDS)
    .map(([stem]) => stem);
  if (stems.length === 0) return model;
  const sums = addUpDocuments(model, documents, stems);
  const weights = stems.map((stem) => Math.log(1 + size / (counts.get(stem) ?? 1)));
  return createWordVectors(joinWordTables(model.table, toTable(model.dimensions, stems, sums, weights)));
}

function countUnknown(model: WordVectors, documents: Iterable<DocumentStems>) {
  const counts = new Map<string, number>();
  let size = 0;
  for (const document of documents) {
    size += 1;
    for (const stem of unknownCounts(model, document).keys()) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return { counts, size };
}

function addUpDocuments(
  model: WordVectors,
  documents: Iterable<DocumentStems>,
  stems: readonly string[],
): Float32Array {
  const { dimensions } = model;
  const places = new Map(stems.map((stem, place) => [stem, place]));
  const sums = new Float32Array(stems.length * dimensions);
  for (const document of documents) {
    const unknown = [...unknownCounts(model, document)].filter(([stem]) => places.has(stem));
    if (unknown.length === 0) continue;
    const vector = model.documentVector(document);
    for (const [stem, count] of unknown) {
      const from = (places.get(stem) ?? 0) * dimensions;
      const share = Math.log1p(count);
      for (let at = 0; at < dimensions; at += 1) sums[from + at] = (sums[from + at] ?? 0) + share * (vector[at] ?? 0);
    }
  }
  return sums;
}

function unknownCounts(model: WordVectors, document: DocumentStems): Map<string, number> {
  const counts = new Map<string, number>();
  for (const field of searchFields) {
    for (const stem of document[field] ?? []) {
      if (model.rowOf(stem) < 0 && !isNumber(stem)) counts.set(stem, (counts.get(stem) ?? 0) + fieldWeights[field]);
    }
  }
  return counts;
}

/** "2024" or "3d": what it says in one document it does not say in another. */
function isNumber(stem: string): boolean {
  return /^\p{N}/u.test(stem);
}

function toTable(
  dimensions: number,
  stems: readonly string[],
  sums: Float32Array,
  weights: readonly number[],
): WordTable {
  const rows = new Int8Array(sums.length);
  const scaled = weights.map((weight, place) => {
    const [from, to] = [place * dimensions, (place + 1) * dimensions];
    return weight * toByteRow(toUnit(sums.subarray(from, to)), rows.subarray(from, to));
  });
  const both = Float32Array.from(scaled);
  return { dimensions, stems, requestWeights: both, documentWeights: both, rows };
}
