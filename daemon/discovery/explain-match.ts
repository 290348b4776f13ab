import type { DiscoverExplanation } from "../../shared/contract/discovery.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import type { QueryWord } from "../text/analyse-text.ts";
import { rarity } from "./rank.ts";
import { toSearchDocument } from "./search-document.ts";
import type { SearchIndex } from "./search-index.ts";

type Words = Pick<DiscoverExplanation, "words" | "expanded">;

/**
 * What a query has in common with an endpoint, word by word and field by field; the weights add up to the evidence that
 * `rank.ts` makes the score of. What concerns the query alone is looked up once.
 */
export function createExplainer(index: SearchIndex, query: readonly QueryWord[]): (entry: CatalogEntry) => Words {
  const asked = query.map((word) => {
    const { forms, isCompound, postings } = index.find(word);
    return { word, forms, isCompound, worth: word.weight * rarity(postings.documents.length, index.size) };
  });
  return (entry) => {
    const matchesOf = index.matcher(toSearchDocument(entry));
    const expanded = new Set<string>();
    const words = asked.flatMap(({ word, forms, isCompound, worth }) => {
      const found = forms.map((form) => ({ form, fields: matchesOf(form) }));
      if (isCompound && found.some(({ fields }) => fields.length === 0)) return [];
      const weights = new Map<string, number>();
      for (const { form, fields } of found) {
        if (fields.length > 0 && form !== word.stems[0]) expanded.add(form);
        for (const { field, match } of fields) {
          weights.set(field, (weights.get(field) ?? 0) + (worth * match) / forms.length);
        }
      }
      return [...weights].map(([field, weight]) => ({ word: word.text, field, weight }));
    });
    return { words: words.sort((a, b) => b.weight - a.weight), expanded: [...expanded] };
  };
}
