import { searchFields } from "../../../daemon/discovery/documents/search-document.ts";
import type { BuildEngine } from "./engine.ts";

const K1 = 1.2;
const B = 0.75;

interface Posting {
  readonly document: number;
  readonly count: number;
}

/** Okapi BM25 over the fields joined into one text: words in lower case, no stems, no stop words. */
export const buildPlainBm25: BuildEngine = (documents) => {
  const postings = new Map<string, Posting[]>();
  const lengths: number[] = [];
  for (const { fields } of documents) {
    const words = wordsOf(searchFields.map((field) => fields[field]).join("\n"));
    const document = lengths.push(words.length) - 1;
    for (const [word, count] of countEach(words)) {
      const known = postings.get(word);
      if (known === undefined) postings.set(word, [{ document, count }]);
      else known.push({ document, count });
    }
  }
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return {
    search(query, limit) {
      const scores = new Map<number, number>();
      for (const word of wordsOf(query)) {
        const found = postings.get(word) ?? [];
        const idf = Math.log(1 + (lengths.length - found.length + 0.5) / (found.length + 0.5));
        for (const { document, count } of found) {
          const norm = K1 * (1 - B + (B * (lengths[document] ?? 0)) / meanLength);
          scores.set(document, (scores.get(document) ?? 0) + (idf * count * (K1 + 1)) / (count + norm));
        }
      }
      return [...scores]
        .sort(([a, x], [b, y]) => y - x || a - b)
        .slice(0, limit)
        .map(([document]) => document);
    },
  };
};

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
