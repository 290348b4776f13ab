import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  buildShardInSteps,
  type IndexingOptions,
  type ProviderDocument,
  type ProviderDocuments,
  runAtOnce,
} from "../../../daemon/discovery/index/shard/build-shard.ts";
import { openIndexFile } from "../../../daemon/discovery/index/index-file.ts";
import { viewOf } from "../../../daemon/discovery/index/index-view.ts";
import type { Shard } from "../../../daemon/discovery/index/shard/shard.ts";
import { calibrateInSteps } from "../../../daemon/discovery/ranking/confidence/calibration.ts";
import type { ConfidenceFit } from "../../../daemon/discovery/ranking/weights/confidence-weights.ts";
import { createConfidence } from "../../../daemon/discovery/ranking/confidence/confidence.ts";
import { createRanker, type RankingKnowledge } from "../../../daemon/discovery/ranking/scoring/rank.ts";
import { createSearch, type Search } from "../../../daemon/discovery/ranking/search.ts";
import { RANKING_WEIGHTS, type RankingWeights } from "../../../daemon/discovery/ranking/weights/ranking-weights.ts";
import { type FieldWeights, FIELD_WEIGHTS } from "../../../daemon/discovery/documents/field-weights.ts";
import type { EndpointShape } from "../../../daemon/discovery/documents/endpoint-shape.ts";
import { searchFields } from "../../../daemon/discovery/documents/search-document.ts";
import type { WordVectors } from "../../../daemon/discovery/vectors/word-vectors.ts";
import { loadWordVectors } from "../../../daemon/discovery/vectors/load-word-vectors.ts";
import { stemWord } from "../../../daemon/text/stem-word.ts";
import { ANALYSIS_PARTS } from "../analysis-parts.ts";
import { loadBundledExpansion } from "../bundled-thesaurus.ts";
import { loadFittedWithout } from "../train-floor/fitted-floors.ts";
import { modelFolderFor } from "../train/model-places.ts";
import type { ShapedDocument } from "../served-collection.ts";
import type { Engine, ScoredDocument } from "./engine.ts";

/** What a part is when it is not there. */
interface PartOff {
  readonly weights?: Partial<RankingWeights>;
  readonly fields?: FieldWeights;
  /** Words come as they are written, and vectors are those of stems: what stems bring to words alone is measured. */
  readonly hasPlainWords?: boolean;
}

const EVEN_FIELDS = Object.fromEntries(
  searchFields.map((field) => [field, { ...FIELD_WEIGHTS[field], boost: 1 }]),
) as unknown as FieldWeights;

const partsOff: Readonly<Record<string, PartOff>> = {
  "word vectors": { weights: { similarity: 0 } },
  "vectors of clauses": { weights: { clauseSimilarity: 0 } },
  "mending of slips": { weights: { slip: 0 } },
  "names and numbers as arguments": { weights: { argument: 1 } },
  thesaurus: { weights: { thesaurus: 0 } },
  "field weights": { fields: EVEN_FIELDS },
  phrases: { weights: { phrases: 0, namePhrases: 0 } },
  coverage: { weights: { coverage: 0 } },
  "shares of names": { weights: { nameShare: 0, descriptionShare: 0 } },
  "likeness of asks": { weights: { askLikeness: 0 } },
  "provider evidence": { weights: { providerBest: 0, providerMean: 0 } },
  "shapes of endpoints": { weights: { uncovered: 0, takesBrought: 0, lacksId: 0, takesWanted: 0, otherEffect: 0 } },
  "repeated words": { weights: { repetition: 0 } },
  variety: { weights: { variety: 0 } },
  ...Object.fromEntries(Object.keys(ANALYSIS_PARTS).map((part) => [part, {}])),
  stems: { hasPlainWords: true },
};

/** What can be switched off, to see what it brings. */
export const parts: readonly string[] = Object.keys(partsOff);

export interface OursOptions {
  /** Measured as if these were not there. */
  readonly partsOff?: readonly string[];
  /** A collection: weights and vectors are those that were found without it and without pairs of its source. */
  readonly leaveOut?: string | undefined;
  /** Where what was learned lies, in its folders. */
  readonly projectDir?: string | undefined;
}

export interface OurEngine extends Engine {
  search(query: string, limit: number): readonly number[];
  searchAboveFloor(query: string, limit: number): readonly number[];
  best(query: string): ScoredDocument | undefined;
  save(path: string): Promise<void>;
}

/** The pool that a daemon has unless its operator says otherwise. */
const POOL = 200;
/** The floor that a daemon has unless its operator says otherwise. */
const DEFAULT_FLOOR = 0.2;
/** The sources, as this file lies in them. */
const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
/** Of an index that nobody else reads. */
const STAMP: readonly string[] = ["bench"];

/** The index and the ranking of the daemon, in this process. */
export async function buildOurs(documents: Iterable<ShapedDocument>, options: OursOptions = {}): Promise<OurEngine> {
  const knowledge = await loadKnowledge(options);
  const heldOut = await loadFittedWithout(options.projectDir ?? PROJECT, options.leaveOut ?? "");
  const shapes: (EndpointShape | undefined)[] = [];
  const kept = keepShapes(documents, shapes);
  const shard = runAtOnce(buildShardInSteps(providersOf(kept), indexingOf(knowledge, options)));
  return openOurs(shard, knowledge, { heldOut, shapeOf: (document) => shapes[document] });
}

/** The index that `save` kept. Throws when there is none. */
export async function loadOurs(path: string, options: OursOptions = {}): Promise<OurEngine> {
  const shard = await openIndexFile({ path, stamp: () => STAMP }).load();
  if (shard === undefined) throw new Error(`${path} holds no index`);
  return openOurs(shard, await loadKnowledge(options));
}

const CHOSEN_WEIGHTS = "bench/discovery/train/chosen-weights.json";

async function loadKnowledge({ projectDir = PROJECT, leaveOut = "", partsOff: off = [] }: OursOptions) {
  const chosen = JSON.parse(await readFile(join(projectDir, CHOSEN_WEIGHTS), "utf8")) as Record<string, RankingWeights>;
  const overrides = off.map((part) => partsOff[part]?.weights);
  const vectors = await loadWordVectors(modelFolderFor(projectDir, leaveOut));
  return {
    weights: Object.assign({}, RANKING_WEIGHTS, chosen[leaveOut], ...overrides) as RankingWeights,
    vectors: off.some((part) => partsOff[part]?.hasPlainWords === true) ? byStems(vectors) : vectors,
    expand: await loadBundledExpansion(projectDir),
  } satisfies RankingKnowledge;
}

function byStems(vectors: WordVectors): WordVectors {
  return {
    ...vectors,
    queryVector: (words) =>
      vectors.queryVector(words.map(({ stems, weight }) => ({ stems: stems.map(stemWord), weight }))),
    documentVector: (document) =>
      vectors.documentVector(
        Object.fromEntries(searchFields.map((field) => [field, (document[field] ?? []).map(stemWord)])),
      ),
  };
}

type Knowledge = Awaited<ReturnType<typeof loadKnowledge>>;

function indexingOf(knowledge: Knowledge, { partsOff: off = [] }: OursOptions): IndexingOptions {
  return {
    weights: off.map((part) => partsOff[part]?.fields).find((fields) => fields !== undefined),
    vectorOf: (stems) => knowledge.vectors.documentVector(stems),
  };
}

/** In the order of the documents, which is that of the index. */
function* keepShapes(
  documents: Iterable<ShapedDocument>,
  shapes: (EndpointShape | undefined)[],
): Generator<ShapedDocument> {
  for (const document of documents) {
    shapes.push(document.shape);
    yield document;
  }
}

interface Beside {
  readonly heldOut?: ConfidenceFit | undefined;
  readonly shapeOf?: (document: number) => EndpointShape | undefined;
}

function openOurs(shard: Shard, knowledge: Knowledge, { heldOut, shapeOf }: Beside = {}): OurEngine {
  const view = viewOf(shard);
  const ranker = createRanker(view, knowledge);
  const calibration = runAtOnce(calibrateInSteps(ranker, view.size));
  const searchBy = (fit?: ConfidenceFit) =>
    createSearch(view, ranker, { confidence: createConfidence(fit), calibration: () => calibration });
  const search = searchBy();
  return {
    search: (query, limit) =>
      search
        .rank(query, { limit: POOL, shapeOf })
        .all.slice(0, limit)
        .map(({ document }) => document),
    searchAboveFloor: aboveFloor(search, shapeOf),
    best: (query) => search.rank(query, { limit: POOL, shapeOf }).all[0],
    ...(heldOut !== undefined && { searchAboveHeldOutFloor: aboveFloor(searchBy(heldOut), shapeOf) }),
    // Shared memory, which no figure of the process tells apart.
    outsideBytes: () => shard.buffer.byteLength,
    async save(path) {
      const file = openIndexFile({ path, stamp: () => STAMP });
      file.save(shard);
      await file.close();
    },
  };
}

function aboveFloor(search: Search, shapeOf: Beside["shapeOf"]): (query: string, limit: number) => readonly number[] {
  return (query, limit) =>
    search
      .rank(query, { limit: POOL, shapeOf })
      .all.flatMap(({ document, score }) => (score >= DEFAULT_FLOOR ? document : []))
      .slice(0, limit);
}

/** Documents of one provider stand together. */
function* providersOf(documents: Iterable<ShapedDocument>): Generator<ProviderDocuments> {
  let provider: string | undefined;
  let own: ProviderDocument[] = [];
  for (const document of documents) {
    if (document.provider !== provider) {
      if (provider !== undefined) yield { provider, digest: "", documents: own };
      provider = document.provider;
      own = [];
    }
    own.push(document);
  }
  if (provider !== undefined) yield { provider, digest: "", documents: own };
}
