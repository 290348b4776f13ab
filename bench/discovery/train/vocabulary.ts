/**
 * The words that get a vector, most frequent first, and how much each says: its inverse document frequency in `big`. Words of
 * general English that were added later stand behind, with what their rank there says.
 */
export interface Vocabulary {
  readonly stems: readonly string[];
  readonly idf: Float32Array;
  /** The row of a stem, or −1. */
  rowOf(stem: string): number;
}

export interface VocabularySizes {
  /** Stems in so few documents get no vector. */
  readonly minDocuments: number;
  /** Stems of requests that occur so often get one even so. */
  readonly minInPairs: number;
  readonly maxStems: number;
}

/**
 * From the stems of each document and of each side of a pair. A stem that only pairs have counts as one that a single document
 * holds.
 */
export function chooseVocabulary(
  documents: Iterable<readonly string[]>,
  pairTexts: Iterable<readonly string[]>,
  sizes: VocabularySizes,
): Vocabulary {
  const { counts: inDocuments, texts: size } = countTexts(documents);
  const { counts: inPairs } = countTexts(pairTexts);
  const rank = (stem: string) => (inDocuments.get(stem) ?? 0) + (inPairs.get(stem) ?? 0);
  const stems = [...new Set([...inDocuments.keys(), ...inPairs.keys()])]
    .filter(
      (stem) => (inDocuments.get(stem) ?? 0) >= sizes.minDocuments || (inPairs.get(stem) ?? 0) >= sizes.minInPairs,
    )
    .sort((one, other) => rank(other) - rank(one) || (one < other ? -1 : 1))
    .slice(0, sizes.maxStems);
  const rows = new Map(stems.map((stem, row) => [stem, row]));
  const idf = Float32Array.from(stems, (stem) => Math.log(1 + size / Math.max(1, inDocuments.get(stem) ?? 0)));
  return { stems, idf, rowOf: (stem) => rows.get(stem) ?? -1 };
}

function countTexts(texts: Iterable<readonly string[]>): { counts: Map<string, number>; texts: number } {
  const counts = new Map<string, number>();
  let count = 0;
  for (const stems of texts) {
    count += 1;
    for (const stem of new Set(stems)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return { counts, texts: count };
}
