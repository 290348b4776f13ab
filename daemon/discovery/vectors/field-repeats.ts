import type { SearchField } from "../documents/search-document.ts";

/**
 * The number of times that a word of a field counts in the vector of its document. Training and discovery must use the
 * same numbers: after a change the model has to be trained again (`npm run train:discovery`).
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
