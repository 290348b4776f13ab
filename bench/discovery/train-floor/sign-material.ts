import { buildShard, runAtOnce } from "../../../daemon/discovery/index/shard/build-shard.ts";
import type { IndexedDocument } from "../../../daemon/discovery/index/shard/forward-index.ts";
import { viewOf } from "../../../daemon/discovery/index/index-view.ts";
import { calibrateInSteps } from "../../../daemon/discovery/ranking/confidence/calibration.ts";
import {
  createSignReading,
  type SignReading,
  type Signs,
} from "../../../daemon/discovery/ranking/confidence/confidence.ts";
import { createRanker, type Ranking, type RankingKnowledge } from "../../../daemon/discovery/ranking/scoring/rank.ts";
import type { RequestWords } from "../../../daemon/discovery/ranking/confidence/request-likeness.ts";
import { loadWordVectors } from "../../../daemon/discovery/vectors/load-word-vectors.ts";
import { loadBundledExpansion } from "../bundled-thesaurus.ts";
import { DEVELOPMENT, type JudgedCollection, loadJudgedCollection, loadOffTopic } from "../collections.ts";
import { serveCollection } from "../served-collection.ts";
import { modelFolderFor } from "../train/model-places.ts";
import { seededRandom } from "../train/random.ts";
import { readSayings } from "./sayings.ts";

/** What the candidates of a query show, from the one that is looked at on. */
export type Shown = readonly Signs[];

/** What one collection has to say about how much each sign counts. */
export interface SignMaterial {
  readonly name: string;
  /** From the first right answer on. */
  readonly right: readonly Shown[];
  /** Of parts of names of its endpoints. */
  readonly names: readonly Shown[];
  /** One by one, what ranks far below the right answers. */
  readonly wrong: readonly Shown[];
  readonly sayings: readonly Shown[];
  /** Of requests that other collections have; none for a large collection, which may serve them. */
  readonly foreign: readonly Shown[];
  /** Measured, never fitted. */
  readonly offTopic: readonly Shown[];
}

const QUERIES = 150;
const NAMES = 60;
const FOREIGN = 40;
const FOREIGN_UP_TO = 150;
const WRONG_QUERIES = 60;
const WRONG_OF_A_QUERY = 4;
/** Places that are thought to hold no right answer. */
const WRONG_FROM = 60;
const WRONG_TO = 150;
const POOL = 200;
const DEPTH = 30;
const KEYS_SEED = 11;

/** Each collection with what was learned without its own sources. */
export async function readSignMaterial(
  projectDir: string,
  evalDir: string,
  words: RequestWords,
): Promise<SignMaterial[]> {
  const readSigns = createSignReading(words);
  const expand = await loadBundledExpansion(projectDir);
  const offTopic = loadOffTopic(evalDir).map(({ q }) => q);
  const collections = DEVELOPMENT.map((name) => loadJudgedCollection(evalDir, name));
  const materials: SignMaterial[] = [];
  for (const collection of collections) {
    const vectors = await loadWordVectors(modelFolderFor(projectDir, collection.name));
    const others = collections.filter((other) => other !== collection);
    materials.push(materialOf(collection, { knowledge: { vectors, expand }, readSigns, others, offTopic }));
  }
  return materials;
}

interface Beside {
  readonly knowledge: RankingKnowledge;
  readonly readSigns: SignReading;
  readonly others: readonly JudgedCollection[];
  readonly offTopic: readonly string[];
}

function materialOf(collection: JudgedCollection, { knowledge, readSigns, others, offTopic }: Beside): SignMaterial {
  const { ids, documents } = serveCollection(collection);
  const kept = [...documents()];
  const show = createShowing(kept, knowledge, readSigns);
  const judged = everySo(
    collection.queries.filter(({ qid }) => collection.judgements.has(qid)),
    QUERIES,
  );
  const isRight = (qid: string) => (document: number) => collection.judgements.get(qid)?.has(ids[document] ?? "");
  const keys = seededRandom(KEYS_SEED);
  const foreign = others.flatMap(({ queries }) => everySo(queries, FOREIGN / 2));
  return {
    name: collection.name,
    right: judged.map(({ qid, q }) => show.from(q, isRight(qid))).filter(({ length }) => length > 0),
    wrong: everySo(judged, WRONG_QUERIES).flatMap(({ q }) => show.farDown(q)),
    names: everySo(kept, NAMES).map(({ fields }, number) => show.from(firstWords(fields.name, 1 + (number % 3)))),
    sayings: readSayings("signs", () => keys.next())
      .flatMap(({ sayings }) => sayings)
      .map((q) => show.from(q)),
    foreign: kept.length < FOREIGN_UP_TO ? everySo(foreign, FOREIGN).map(({ q }) => show.from(q)) : [],
    offTopic: offTopic.map((q) => show.from(q)),
  };
}

function createShowing(documents: readonly IndexedDocument[], knowledge: RankingKnowledge, readSigns: SignReading) {
  const { vectors } = knowledge;
  const view = viewOf(buildShard(documents, { vectorOf: (stems) => vectors?.documentVector(stems) }));
  const ranker = createRanker(view, knowledge);
  const catalog = { ...runAtOnce(calibrateInSteps(ranker, view.size)), size: view.size };
  const signsOf = (q: string, ranking: Ranking) => readSigns(q, ranking, catalog);
  return {
    /** From the first that is right, of all from the best. */
    from(q: string, isRight: (document: number) => boolean | undefined = () => true): Shown {
      const ranking = ranker.rank(q, { limit: POOL });
      const first = ranking.candidates.findIndex(({ document }) => isRight(document) === true);
      return first < 0 ? [] : ranking.candidates.slice(first, first + DEPTH).map(signsOf(q, ranking));
    },
    /** Some of those that rank far down, one by one. */
    farDown(q: string): Shown[] {
      const ranking = ranker.rank(q, { limit: POOL });
      const far = ranking.candidates.slice(Math.min(WRONG_FROM, ranking.candidates.length / 2), WRONG_TO);
      return everySo(far, WRONG_OF_A_QUERY).map((candidate) => [signsOf(q, ranking)(candidate)]);
    },
  };
}

function firstWords(name: string, count: number): string {
  return name
    .split(/[^A-Za-z]+/)
    .slice(0, count)
    .join(" ");
}

/** So many of them, evenly. */
export function everySo<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(count, items.length) }, (_, at) => items[Math.floor(at * step)]).flatMap(
    (item) => (item === undefined ? [] : [item]),
  );
}
