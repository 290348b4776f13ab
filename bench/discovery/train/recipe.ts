import type { VocabularySizes } from "./vocabulary.ts";

/** What a training depends on besides its texts, as far as it was chosen by figures. */
export interface Recipe {
  readonly seed: number;
  readonly dimensions: number;
  readonly vocabulary: VocabularySizes;
  /** How much a word's vector in general English counts beside what its neighbours in API texts say, when the training begins. */
  readonly generalShare: number;
  /** With those of general English that too few texts have to be learnt from. */
  readonly words: number;
  readonly steps: number;
  readonly batchSize: number;
  /** What the cosines are divided by: the smaller, the more the nearest wrong answers count. */
  readonly temperature: number;
  /** How many of the batches are API texts alone; the others are pairs of one source. */
  readonly endpointShare: number;
  /** How many neighbours of an API catalogue come into a batch together. */
  readonly runLength: number;
  readonly vectorRate: number;
  readonly weightRate: number;
  /** The result is the mean over the last steps, so many of all. */
  readonly averagedShare: number;
}

/** Chosen with each collection measured on vectors without its own sources; `docs/discovery-figures.md` has the figures. */
export const recipe: Recipe = {
  seed: 20_261_121,
  dimensions: 128,
  vocabulary: { minDocuments: 8, minInPairs: 5, maxStems: 11_776 },
  generalShare: 1,
  words: 24_000,
  steps: 400,
  batchSize: 512,
  temperature: 0.07,
  endpointShare: 0.25,
  runLength: 32,
  vectorRate: 1e-3,
  weightRate: 1e-2,
  averagedShare: 0.5,
};
