import { toByteRow, type WordTable } from "../../../daemon/discovery/vectors/word-table.ts";
import { adam } from "./adam.ts";
import { drawPool, drawRows, drawRuns, isAmbiguousIn, type Batch } from "./batches.ts";
import { addFurtherWords, type Learnt } from "./further-words.ts";
import type { GeneralVectors } from "./general-vectors.ts";
import { positivePmi } from "./co-occurrence.ts";
import { contrast } from "./contrast.ts";
import { normaliseRows } from "./dense.ts";
import { allStems, type Examples } from "./examples.ts";
import { turnToPrincipalAxes } from "./principal-axes.ts";
import { seededRandom, type Random } from "./random.ts";
import { singularRows } from "./randomised-svd.ts";
import type { Recipe } from "./recipe.ts";
import { runningMean } from "./running-mean.ts";
import type { SparseRows } from "./sparse-rows.ts";
import { requestRows, toolRows } from "./text-rows.ts";
import { addGradients, encode, importanceOf, type Gradients, type Parameters, type Side } from "./towers.ts";
import { trainingPools, type TrainingPools } from "./training-pools.ts";
import { chooseVocabulary, type Vocabulary } from "./vocabulary.ts";

/** Told every hundred steps, with the mean loss since the last time. */
export type Progress = (step: number, meanLoss: number) => void;

const STEPS_A_REPORT = 100;
/** So many endpoints and so many requests show which directions say most. */
const AXES_SAMPLE = 8_000;

/** What is learnt from: texts of APIs, and what the words mean elsewhere. */
export interface Material extends Examples {
  readonly general?: GeneralVectors;
}

/**
 * The vectors of words by which requests and tools that serve them come near to each other. Begins with what words stand
 * together, in API texts and in general English, goes on with which request belongs to which tool, and ends with words that only
 * general English has. The same for the same material and recipe.
 */
export function trainWordVectors(material: Material, recipe: Recipe, onProgress: Progress = () => {}): WordTable {
  const { general } = material;
  const random = seededRandom(recipe.seed);
  const vocabulary = vocabularyOf(material, recipe);
  const parameters = startOf(material, vocabulary, recipe, random);
  descend(parameters, vocabulary, trainingPools(material, vocabulary), recipe, random, onProgress);
  const learnt = { parameters, vocabulary };
  return toWordTable(general === undefined ? learnt : addFurtherWords(learnt, general, recipe.words), material);
}

function vocabularyOf({ endpoints, pairs }: Examples, recipe: Recipe): Vocabulary {
  const tools = new Map(pairs.map(({ toolText, tool }) => [toolText, tool]));
  return chooseVocabulary(
    endpoints.map(({ tool }) => allStems(tool)),
    [...pairs.map(({ query }) => query), ...[...tools.values()].map(allStems)],
    recipe.vocabulary,
  );
}

/** Unit vectors of words by the words that they stand with, in an endpoint or in a pair, and in general English. */
function startOf(
  { endpoints, pairs, general }: Material,
  vocabulary: Vocabulary,
  recipe: Recipe,
  random: Random,
): Parameters {
  const { dimensions, generalShare } = recipe;
  const texts = [
    requestRows(
      endpoints.map(({ tool }) => allStems(tool)),
      vocabulary,
    ),
    requestRows(
      pairs.map(({ query, tool }) => [...query, ...allStems(tool)]),
      vocabulary,
    ),
  ];
  const words = vocabulary.stems.length;
  const own = singularRows(positivePmi(texts, words), dimensions, random);
  normaliseRows(own, dimensions);
  const vectors = general === undefined ? own : besideGeneral(own, vocabulary, general, { dimensions, generalShare });
  return { dimensions, vectors, requestWeights: new Float32Array(words), toolWeights: new Float32Array(words) };
}

/** Each word's own vector and its general one side by side, then turned so that as many dimensions as before hold most of both. */
function besideGeneral(
  own: Float32Array,
  { stems }: Vocabulary,
  general: GeneralVectors,
  { dimensions, generalShare }: Pick<Recipe, "dimensions" | "generalShare">,
): Float32Array {
  const width = dimensions + general.width;
  const both = new Float32Array(stems.length * width);
  for (const [word, stem] of stems.entries()) {
    both.set(own.subarray(word * dimensions, (word + 1) * dimensions), word * width);
    const row = general.rowOf(stem);
    if (row < 0) continue;
    const vector = general.rows.subarray(row * general.width, (row + 1) * general.width);
    both.set(
      vector.map((value) => generalShare * value),
      word * width + dimensions,
    );
  }
  const turned = turnToPrincipalAxes(both, both, width);
  const vectors = new Float32Array(stems.length * dimensions);
  for (const word of stems.keys()) {
    vectors.set(turned.subarray(word * width, word * width + dimensions), word * dimensions);
  }
  normaliseRows(vectors, dimensions);
  return vectors;
}

/** Changes the parameters in place, batch after batch; they end as the mean over the last steps: the last batches weigh no more. */
function descend(
  parameters: Parameters,
  { idf }: Vocabulary,
  pools: TrainingPools,
  recipe: Recipe,
  random: Random,
  onProgress: Progress,
): void {
  const words = idf.length;
  const descendVectors = adam(parameters.vectors.length, recipe.vectorRate);
  const descendRequests = adam(words, recipe.weightRate);
  const descendTools = adam(words, recipe.weightRate);
  const gradients = zerosLike(parameters);
  const averages = [parameters.vectors, parameters.requestWeights, parameters.toolWeights].map((values) => ({
    values,
    average: runningMean(values.length),
  }));
  let losses = 0;
  for (let step = 1; step <= recipe.steps; step += 1) {
    losses += addBatch(drawBatch(pools, recipe, random), parameters, idf, recipe, gradients);
    descendVectors(parameters.vectors, gradients.vectors);
    descendRequests(parameters.requestWeights, gradients.requestWeights);
    descendTools(parameters.toolWeights, gradients.toolWeights);
    for (const sums of [gradients.vectors, gradients.requestWeights, gradients.toolWeights]) sums.fill(0);
    if (step > recipe.steps * (1 - recipe.averagedShare)) {
      for (const { values, average } of averages) average.add(values);
    }
    if (step % STEPS_A_REPORT !== 0) continue;
    onProgress(step, losses / STEPS_A_REPORT);
    losses = 0;
  }
  if (recipe.averagedShare > 0) for (const { values, average } of averages) values.set(average.mean);
}

function drawBatch(pools: TrainingPools, recipe: Recipe, random: Random): Batch {
  const fromEndpoints = pools.pairs.length === 0 || random.next() < recipe.endpointShare;
  const pool = fromEndpoints ? pools.endpoints[random.below(pools.endpoints.length)] : drawPool(pools.pairs, random);
  if (pool === undefined) throw new Error("There is nothing to train on: no endpoint and no pair");
  return fromEndpoints
    ? drawRuns(pool, recipe.batchSize, recipe.runLength, random)
    : drawRows(pool, recipe.batchSize, random);
}

/** Adds the gradients of a batch and gives its loss. */
function addBatch(
  batch: Batch,
  parameters: Parameters,
  idf: Float32Array,
  { temperature }: Recipe,
  gradients: Gradients,
): number {
  const side = (texts: Side["texts"], weights: Float32Array): Side => ({
    texts,
    chosen: batch.rows,
    importance: importanceOf(idf, weights),
  });
  const requestSide = side(batch.view.requests, parameters.requestWeights);
  const toolSide = side(batch.view.tools, parameters.toolWeights);
  const requests = encode(requestSide, parameters);
  const tools = encode(toolSide, parameters);
  const { loss, requestGradients, toolGradients } = contrast({
    requests: requests.units,
    tools: tools.units,
    dimensions: parameters.dimensions,
    temperature,
    isAmbiguous: isAmbiguousIn(batch),
  });
  addGradients(requestSide, requests, requestGradients, parameters, gradients, gradients.requestWeights);
  addGradients(toolSide, tools, toolGradients, parameters, gradients, gradients.toolWeights);
  return loss;
}

function toWordTable({ parameters, vocabulary }: Learnt, examples: Examples): WordTable {
  const { dimensions } = parameters;
  const turned = turnToPrincipalAxes(parameters.vectors, axesSample(parameters, vocabulary, examples), dimensions);
  const rows = new Int8Array(turned.length);
  const scales = vocabulary.stems.map((_, row) => {
    const [from, to] = [row * dimensions, (row + 1) * dimensions];
    return toByteRow(turned.subarray(from, to), rows.subarray(from, to));
  });
  const scaled = (weights: Float32Array) => weights.map((weight, row) => weight * (scales[row] ?? 0));
  return {
    dimensions,
    stems: vocabulary.stems,
    requestWeights: scaled(importanceOf(vocabulary.idf, parameters.requestWeights)),
    documentWeights: scaled(importanceOf(vocabulary.idf, parameters.toolWeights)),
    rows,
  };
}

/**
 * Vectors of as many requests as endpoints: the first dimensions have to tell both apart. Those of endpoints alone leave two
 * thirds of what a request says to the others.
 */
function axesSample(parameters: Parameters, vocabulary: Vocabulary, { endpoints, pairs }: Examples): Float32Array {
  const { idf } = vocabulary;
  const tools = evenly(endpoints, AXES_SAMPLE).map(({ tool }) => tool);
  const queries = evenly(pairs, AXES_SAMPLE).map(({ query }) => query);
  const unitsOf = (texts: SparseRows, weights: Float32Array) => {
    const chosen = Uint32Array.from(Array(texts.size).keys());
    return encode({ texts, chosen, importance: importanceOf(idf, weights) }, parameters).units;
  };
  const toolUnits = unitsOf(toolRows(tools, vocabulary), parameters.toolWeights);
  const queryUnits = unitsOf(requestRows(queries, vocabulary), parameters.requestWeights);
  const sample = new Float32Array(toolUnits.length + queryUnits.length);
  sample.set(toolUnits);
  sample.set(queryUnits, toolUnits.length);
  return sample;
}

/** So many of the items, from the whole of the list; all of them where there are no more. */
function evenly<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, place) => Math.floor(place / step) > Math.floor((place - 1) / step));
}

function zerosLike({ dimensions, vectors, requestWeights, toolWeights }: Parameters): Gradients {
  return {
    dimensions,
    vectors: new Float32Array(vectors.length),
    requestWeights: new Float32Array(requestWeights.length),
    toolWeights: new Float32Array(toolWeights.length),
  };
}
