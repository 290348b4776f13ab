import { describe, expect, test } from "vitest";
import { contrast } from "../../../bench/discovery/train/contrast.ts";
import { positivePmi } from "../../../bench/discovery/train/co-occurrence.ts";
import type { Examples } from "../../../bench/discovery/train/examples.ts";
import { leaveOutVariants, variantFor } from "../../../bench/discovery/train/leave-out.ts";
import { generalVectorsOf, type WordFile } from "../../../bench/discovery/train/general-vectors.ts";
import { turnToPrincipalAxes } from "../../../bench/discovery/train/principal-axes.ts";
import { seededRandom } from "../../../bench/discovery/train/random.ts";
import { singularRows } from "../../../bench/discovery/train/randomised-svd.ts";
import { recipe } from "../../../bench/discovery/train/recipe.ts";
import { ridgeRegression } from "../../../bench/discovery/train/ridge-regression.ts";
import { runningMean } from "../../../bench/discovery/train/running-mean.ts";
import { toSparseRows } from "../../../bench/discovery/train/sparse-rows.ts";
import { symmetricEigen } from "../../../bench/discovery/train/symmetric-eigen.ts";
import { addGradients, encode, importanceOf, type Parameters } from "../../../bench/discovery/train/towers.ts";
import { trainWordVectors } from "../../../bench/discovery/train/train-word-vectors.ts";
import { createWordVectors, type WordVectors } from "../../../daemon/discovery/vectors/word-vectors.ts";

const smallRecipe = {
  ...recipe,
  dimensions: 8,
  vocabulary: { minDocuments: 1, minInPairs: 1, maxStems: 100 },
  words: 100,
  steps: 60,
  batchSize: 16,
  endpointShare: 0.5,
  runLength: 4,
  vectorRate: 3e-3,
};

describe("training word vectors", () => {
  test("pairs teach which words of a request mean which words of a tool", () => {
    const vectors = createWordVectors(trainWordVectors(umbrellas(), smallRecipe));

    const query = vectors.queryVector([{ stems: ["umbrella"], weight: 1 }]);

    const [forecast = 0, ...others] = ["forecast", "tide", "payment", "mortgag"].map((name) =>
      cosine(query, vectors.documentVector({ name: [name] })),
    );
    expect(forecast).toBeGreaterThan(Math.max(...others) + 0.3);
  });

  test("the same examples give the same vectors", () => {
    expect(trainWordVectors(umbrellas(), smallRecipe)).toEqual(trainWordVectors(umbrellas(), smallRecipe));
  });

  test("a source that is left out leaves no trace", () => {
    const { endpoints, pairs } = umbrellas();
    const others = pairs.filter(({ source }) => source !== "weather");

    const { stems } = trainWordVectors({ endpoints, pairs: others }, smallRecipe);

    expect(stems).toContain("invoic");
    expect(stems).not.toContain("umbrella");
  });

  test("a word that no text has is placed by what it means in general English", () => {
    const general = generalVectorsOf(generalEnglish());

    const vectors = createWordVectors(trainWordVectors({ ...umbrellas(), general }, smallRecipe));

    const query = vectors.queryVector([{ stems: ["drizzl"], weight: 1 }]);
    const nearness = (name: string) => cosine(query, vectors.documentVector({ name: [name] }));
    expect(nearness("forecast")).toBeGreaterThan(nearness("mortgag") + 0.3);
  });

  test("a training begins with what words mean in general English", () => {
    const general = generalVectorsOf(generalEnglish());
    const untrained = { ...smallRecipe, steps: 0, averagedShare: 0 };
    const nearness = (vectors: WordVectors) =>
      cosine(vectors.queryVector([{ stems: ["umbrella"], weight: 1 }]), vectors.documentVector({ name: ["sky"] }));

    const without = createWordVectors(trainWordVectors(umbrellas(), untrained));
    const begun = createWordVectors(trainWordVectors({ ...umbrellas(), general }, untrained));

    expect(nearness(begun)).toBeGreaterThan(nearness(without) + 0.3);
  });

  test("a further word says the more, the rarer it is in general English", () => {
    const general = generalVectorsOf(generalEnglish());

    const { stems, documentWeights, rows, dimensions } = trainWordVectors({ ...umbrellas(), general }, smallRecipe);

    const lengthOf = (stem: string) => {
      const word = stems.indexOf(stem);
      return (documentWeights[word] ?? 0) * Math.hypot(...rows.subarray(word * dimensions, (word + 1) * dimensions));
    };
    expect(lengthOf("cash")).toBeGreaterThan(1.2 * lengthOf("rain"));
  });

  test("the same words of general English give the same vectors", () => {
    const train = () => trainWordVectors({ ...umbrellas(), general: generalVectorsOf(generalEnglish()) }, smallRecipe);

    expect(train()).toEqual(train());
  });

  test("texts without a word of general English are an error, and make no vectors of nothing", () => {
    const general = generalVectorsOf({ dimensions: 2, words: ["zebra"], vectors: { zebra: [1, 0] } });

    expect(() => trainWordVectors({ ...umbrellas(), general }, smallRecipe)).toThrow("No word of the texts");
  });

  test("the most frequent words of general English are added, up to the number of the recipe", () => {
    const general = generalVectorsOf(generalEnglish());
    const { stems: own } = trainWordVectors(umbrellas(), smallRecipe);

    const { stems } = trainWordVectors({ ...umbrellas(), general }, { ...smallRecipe, words: own.length + 1 });

    expect(stems).toEqual([...own, "rain"]);
  });

  test("the first dimensions carry the most", () => {
    const samples = Float32Array.of(0, 1, 0.1, 1, -0.1, 1);

    const turned = turnToPrincipalAxes(samples, samples, 2);

    expect(Math.abs(turned[0] ?? 0)).toBeCloseTo(1, 2);
    expect(cosine(turned.subarray(2, 4), turned.subarray(4, 6))).toBeCloseTo(0.99, 5);
  });
});

describe("vectors that a collection is measured with", () => {
  test.each([
    ["metatool", ["metatool"]],
    ["bfcl-live", ["apibench", "bfcl-nonlive"]],
    ["sealtools", ["sealtools"]],
    ["toolalpaca", ["publicapis"]],
    ["haystack", ["publicapis"]],
    ["restbench", []],
  ])("those for %s are trained without %j", (collection, withoutSources) => {
    expect(variantFor(collection).withoutSources).toEqual(withoutSources);
  });

  test("each variant is trained once", () => {
    expect(leaveOutVariants().map(({ name }) => name)).toEqual([
      "without-metatool",
      "without-apibench-bfcl-nonlive",
      "without-sealtools",
      "without-publicapis",
    ]);
  });
});

describe("words of general English", () => {
  test("words that share a stem are one, and what is no word of English letters is left out", () => {
    const { stems, rowOf } = generalVectorsOf(generalEnglish());

    expect(stems.filter((stem) => stem === "rain")).toEqual(["rain"]);
    expect(rowOf("rain")).toBe(0);
    expect(rowOf("1999")).toBe(-1);
    expect(rowOf(",")).toBe(-1);
  });

  test("they are unit vectors without what all of them have in common", () => {
    const { rows, width, stems, rowOf } = generalVectorsOf(generalEnglish());
    const row = (stem: string) => rows.subarray(rowOf(stem) * width, (rowOf(stem) + 1) * width);

    for (const stem of stems) expect(cosine(row(stem), row(stem))).toBeCloseTo(1, 5);
    expect(cosine(row("rain"), row("drizzl"))).toBeGreaterThan(0.8);
    expect(cosine(row("rain"), row("loan"))).toBeLessThan(-0.8);
  });
});

describe("the mathematics of training", () => {
  test("a ridge regression finds the linear map behind its pairs", () => {
    const sources = [
      [1, 0, 2],
      [0, 1, 1],
      [3, 1, 0],
      [1, 1, 1],
    ].map((source) => Float32Array.from(source));
    const behind = ([a = 0, b = 0, c = 0]: Float32Array) => Float32Array.of(a + 2 * b, 3 * c - b);

    const map = ridgeRegression(sources, sources.map(behind), 1e-6);

    const [first = 0, second = 0] = map(Float32Array.of(2, -1, 4));
    expect(first).toBeCloseTo(0, 3);
    expect(second).toBeCloseTo(13, 3);
  });

  test("the gradients are the slopes of the loss", () => {
    const parameters = randomParameters();
    const gradients = gradientsAt(parameters);

    for (const [values, slopes] of [
      [parameters.vectors, gradients.vectors],
      [parameters.requestWeights, gradients.requestWeights],
      [parameters.toolWeights, gradients.toolWeights],
    ] as const) {
      for (const at of values.keys()) {
        expect(slopes[at] ?? 0).toBeCloseTo(
          slopeOf(values, at, () => lossAt(parameters)),
          2,
        );
      }
    }
  });

  test("tools that serve a request too are no wrong answers to it", () => {
    const units = Float32Array.of(1, 0, 1, 0);
    const input = {
      requests: units,
      tools: units,
      dimensions: 2,
      temperature: 1,
    };

    expect(contrast({ ...input, isAmbiguous: () => true }).loss).toBeCloseTo(0, 5);
    expect(contrast({ ...input, isAmbiguous: () => false }).loss).toBeCloseTo(Math.log(2), 5);
  });

  test("what is learnt is the mean over the last steps", () => {
    const kept = runningMean(2);
    for (const values of [Float32Array.of(1, 0), Float32Array.of(3, 6), Float32Array.of(2, 0)]) kept.add(values);

    expect([...kept.mean]).toEqual([2, 2]);
  });

  test("words that stand together more often than by chance have mutual information, others none", () => {
    const texts = toSparseRows(
      [
        [0, 1],
        [0, 1],
        [2, 3],
        [2, 3],
        [0, 2],
      ].map((words) => new Map(words.map((w) => [w, 1]))),
    );

    const pmi = positivePmi([texts], 4);
    const between = (one: number, other: number) => {
      const row = [...pmi.columns.subarray(pmi.starts[one], pmi.starts[one + 1])];
      return pmi.values[(pmi.starts[one] ?? 0) + row.indexOf(other)] ?? 0;
    };

    expect(between(0, 1)).toBeGreaterThan(0);
    expect(between(0, 1)).toBeCloseTo(between(1, 0), 5);
    expect([...pmi.columns.subarray(pmi.starts[1], pmi.starts[2])]).not.toContain(3);
  });

  test("eigenvectors are those of the matrix, the largest value first", () => {
    const { values, vectors } = symmetricEigen(Float64Array.of(2, 1, 1, 2), 2);

    expect([...values]).toEqual([expect.closeTo(3, 9), expect.closeTo(1, 9)]);
    expect(vectors[0]).toBeCloseTo(vectors[1] ?? 0, 9);
    expect(Math.abs(vectors[0] ?? 0)).toBeCloseTo(Math.SQRT1_2, 9);
  });

  test("singular rows give back a matrix of few dimensions", () => {
    const half = [0, 1, 2, 3, 4, 5].map((row) => [Math.sin(row) + 2, Math.cos(row)]);
    const entry = (row: number, column: number) =>
      (half[row] ?? []).reduce((sum, value, at) => sum + value * (half[column]?.[at] ?? 0), 0);
    const matrix = toSparseRows(half.map((_, row) => new Map(half.map((__, column) => [column, entry(row, column)]))));

    const rows = singularRows(matrix, 2, seededRandom(1));

    const product = cosine(rows.subarray(2, 4), rows.subarray(8, 10));
    expect(product).toBeCloseTo(entry(1, 4), 4);
  });
});

/** Requests for a forecast say "umbrella", which no tool does. */
function umbrellas(): Examples {
  const pair = (source: string, query: string, name: string, extra: string) => ({
    source,
    query: [query, extra],
    tool: { name: [name], description: [extra] },
    toolText: `${name} ${extra}`,
  });
  const places = ["lisbon", "porto", "faro", "braga"];
  return {
    endpoints: places.flatMap((place) => [
      { provider: "sky", tool: { name: ["forecast"], description: [place, "sky"], tags: ["weather"] } },
      { provider: "till", tool: { name: ["payment"], description: [place, "card"], tags: ["money"] } },
    ]),
    pairs: places.flatMap((place) => [
      pair("weather", "umbrella", "forecast", place),
      pair("weather", "wave", "tide", place),
      pair("money", "invoic", "payment", place),
      pair("money", "loan", "mortgag", place),
    ]),
  };
}

/** Words of the weather and of money, each near the others of its kind, beside two directions that say how frequent a word is. */
function generalEnglish(): WordFile {
  const weather = ["rain", "raining", "drizzle", "umbrella", "forecast", "weather", "sky", "tide", "wave"];
  const money = ["money", "payment", "loan", "mortgage", "invoice", "card", "bank", "cash"];
  const inTurns = weather.flatMap((word, place) => [word, ...money.slice(place, place + 1)]);
  const words = inTurns.map((word, place) => ({
    word,
    vector: [
      2 * place,
      4 * (place % 3),
      weather.includes(word) ? 1 : -1,
      Math.sin(3 * place) / 4,
      Math.cos(5 * place) / 4,
    ],
  }));
  const others = ["1999", ","].map((word) => ({ word, vector: [0, 0, 0, 0, 1] }));
  const all = [...words.slice(0, 1), ...others, ...words.slice(1)];
  return {
    dimensions: 5,
    words: all.map(({ word }) => word),
    vectors: Object.fromEntries(all.map(({ word, vector }) => [word, vector])),
  };
}

const requests = toSparseRows([
  new Map([[0, 1]]),
  new Map([
    [1, 1],
    [2, 1],
  ]),
  new Map([[3, 1]]),
]);
const tools = toSparseRows([
  new Map([[2, 1.5]]),
  new Map([
    [3, 0.5],
    [0, 1],
  ]),
  new Map([[1, 2]]),
]);
const chosen = Uint32Array.of(0, 1, 2);
const idf = Float32Array.of(1, 2, 1.5, 1);

function sidesOf({ requestWeights, toolWeights }: Parameters) {
  return {
    requestSide: { texts: requests, chosen, importance: importanceOf(idf, requestWeights) },
    toolSide: { texts: tools, chosen, importance: importanceOf(idf, toolWeights) },
  };
}

function contrastAt(parameters: Parameters) {
  const { requestSide, toolSide } = sidesOf(parameters);
  const encodedRequests = encode(requestSide, parameters);
  const encodedTools = encode(toolSide, parameters);
  const input = {
    dimensions: parameters.dimensions,
    temperature: 0.5,
    isAmbiguous: () => false,
  };
  return {
    encodedRequests,
    encodedTools,
    ...contrast({ ...input, requests: encodedRequests.units, tools: encodedTools.units }),
  };
}

/** The loss is the mean of both directions: half of the sum. */
function lossAt(parameters: Parameters): number {
  return contrastAt(parameters).loss;
}

function gradientsAt(parameters: Parameters): Parameters {
  const { requestSide, toolSide } = sidesOf(parameters);
  const { encodedRequests, encodedTools, requestGradients, toolGradients } = contrastAt(parameters);
  const gradients = {
    dimensions: parameters.dimensions,
    vectors: new Float32Array(parameters.vectors.length),
    requestWeights: new Float32Array(4),
    toolWeights: new Float32Array(4),
  };
  addGradients(requestSide, encodedRequests, requestGradients, parameters, gradients, gradients.requestWeights);
  addGradients(toolSide, encodedTools, toolGradients, parameters, gradients, gradients.toolWeights);
  return gradients;
}

function randomParameters(): Parameters {
  const random = seededRandom(3);
  return {
    dimensions: 3,
    vectors: Float32Array.from({ length: 12 }, random.normal),
    requestWeights: Float32Array.from({ length: 4 }, () => random.normal() / 4),
    toolWeights: Float32Array.from({ length: 4 }, () => random.normal() / 4),
  };
}

/** By central difference. */
function slopeOf(values: Float32Array, at: number, loss: () => number): number {
  const step = 1e-2;
  const before = values[at] ?? 0;
  values[at] = before + step;
  const above = loss();
  values[at] = before - step;
  const below = loss();
  values[at] = before;
  return (above - below) / (2 * step);
}

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
