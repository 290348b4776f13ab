import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { analyseQuery } from "../text/analyse-text.ts";
import type { IndexedCatalog } from "./catalog-index.ts";
import { rarity } from "./rank.ts";

/**
 * Finds endpoints by keywords, best first: those that have all of the words, else those that have any. No floor: this is
 * for browsing. Contract semantics, 8, "Keyword side".
 */
export function searchKeywords({ entries, index }: IndexedCatalog, q: string): readonly CatalogEntry[] {
  const words = analyseQuery(q);
  const found = new Map<number, { words: number; score: number }>();
  for (const word of words) {
    const { documents, matches } = index.lookUp(word);
    const worth = rarity(documents.length, index.size);
    documents.forEach((document, place) => {
      const before = found.get(document) ?? { words: 0, score: 0 };
      found.set(document, { words: before.words + 1, score: before.score + worth * (matches[place] ?? 0) });
    });
  }
  const hits = [...found].sort(([a, { score: scoreA }], [b, { score: scoreB }]) => scoreB - scoreA || a - b);
  const complete = hits.filter(([, hit]) => hit.words === words.length);
  return (complete.length > 0 ? complete : hits).flatMap(([document]) => entries[document] ?? []);
}
