import { type SearchField, searchFields } from "./search-document.ts";

/** How BM25F weights a field: the weight of an occurrence, and how much (0 to 1) the length of a field reduces it. */
export interface FieldWeighting {
  readonly boost: number;
  readonly b: number;
}

export type FieldWeights = Readonly<Record<SearchField, FieldWeighting>>;

export const FIELD_WEIGHTS: FieldWeights = {
  name: { boost: 3.4, b: 0.75 },
  asks: { boost: 2, b: 0.5 },
  path: { boost: 1.5, b: 0.33 },
  tags: { boost: 1.5, b: 0.6 },
  categories: { boost: 0.8, b: 0.3 },
  description: { boost: 1.6, b: 0.5 },
  provider: { boost: 1.5, b: 0.2 },
  parameters: { boost: 0.8, b: 0.9 },
};

/** The weight of one occurrence in a field, given by its place in `searchFields`, with this many words. */
export function occurrenceWorth(
  weights: FieldWeights,
  { field, length, meanLength }: { readonly field: number; readonly length: number; readonly meanLength: number },
): number {
  const name = searchFields[field];
  if (name === undefined) return 0;
  const { boost, b } = weights[name];
  return boost / (1 - b + (b * length) / meanLength);
}
