import type { SearchField } from "../documents/search-document.ts";

/**
 * How often a word of a field counts in the vector of its document. Training and discovery use the same ones: a model that was
 * trained with others has to be trained anew (`npm run train:discovery`).
 */
export const FIELD_REPEATS: Readonly<Record<SearchField, number>> = {
  name: 3,
  asks: 2,
  path: 1.5,
  tags: 1,
  categories: 0.8,
  description: 1.2,
  provider: 1,
  parameters: 0.35,
};
