import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildShard } from "../../../daemon/discovery/index/shard/build-shard.ts";
import { viewOf } from "../../../daemon/discovery/index/index-view.ts";
import type { Expand } from "../../../daemon/discovery/ranking/query/ask.ts";
import { fuse } from "../../../daemon/discovery/ranking/scoring/fuse.ts";
import { createGatherer, type Gathered } from "../../../daemon/discovery/ranking/scoring/gather.ts";
import { RANKING_WEIGHTS, type RankingWeights } from "../../../daemon/discovery/ranking/weights/ranking-weights.ts";
import { loadWordVectors } from "../../../daemon/discovery/vectors/load-word-vectors.ts";
import { loadBundledExpansion } from "../bundled-thesaurus.ts";
import { DEVELOPMENT, findEvalDir, loadJudgedCollection } from "../collections.ts";
import { mean, qualityOf } from "../metrics.ts";
import { serveCollection } from "../served-collection.ts";
import { modelFolderFor } from "./model-places.ts";

/*
 * Chooses the weights by which evidence is fused, from round numbers, one weight after another, by the mean nDCG@10 of
 * collections; each collection's vectors are those without its own sources. Once for all collections, and once for each
 * without it: those are the weights that it is measured with.
 */

/** The weights of `fuse`; the others are part of how evidence is gathered. */
const CHOSEN = [
  "coverage",
  "phrases",
  "namePhrases",
  "nameShare",
  "descriptionShare",
  "providerBest",
  "providerMean",
  "similarity",
  "similarityHalf",
  "clauseSimilarity",
  "providerSimilarity",
  "variety",
] as const satisfies readonly (keyof RankingWeights)[];

const START: RankingWeights = {
  ...RANKING_WEIGHTS,
  coverage: 0.5,
  phrases: 0.1,
  namePhrases: 0.1,
  nameShare: 0.5,
  descriptionShare: 0.1,
  providerBest: 0.1,
  providerMean: 0.1,
  similarity: 1,
  similarityHalf: 10,
  clauseSimilarity: 0.5,
  providerSimilarity: 0.5,
  variety: 0.3,
};

const STEPS = [2, 1.4, 1.2];
/** Less than this is noise. */
const GAIN = 0.0003;
const QUERIES = 400;
const POOL = 200;

interface Judged {
  readonly gathered: Gathered;
  readonly right: ReadonlyMap<string, number>;
}

interface Measured {
  readonly name: string;
  /** The mean nDCG@10 with these weights. */
  quality(weights: RankingWeights): number;
}

const projectDir = process.env["MKT_PROJECT_DIR"] ?? fileURLToPath(new URL("../../..", import.meta.url));

async function open(name: string, evalDir: string, expand: Expand) {
  const collection = loadJudgedCollection(evalDir, name);
  const { ids, documents } = serveCollection(collection);
  const vectors = await loadWordVectors(modelFolderFor(projectDir, name));
  const view = viewOf(buildShard([...documents()], { vectorOf: (stems) => vectors.documentVector(stems) }));
  const gatherer = createGatherer(view, { weights: START, vectors, expand });
  const queries = collection.queries.filter(({ qid }) => collection.judgements.has(qid));
  const step = Math.max(1, queries.length / QUERIES);
  const judged: Judged[] = [];
  for (let at = 0; at < queries.length; at += step) {
    const query = queries[Math.floor(at)];
    const right = query && collection.judgements.get(query.qid);
    if (query === undefined || right === undefined) continue;
    const gathered = gatherer.gather(query.q, { limit: POOL, accept: () => true });
    const matches = new Map(gathered.found.map(({ document }) => [document, gathered.matchesOf(document)]));
    judged.push({ gathered: { ...gathered, matchesOf: (document) => matches.get(document) ?? [] }, right });
  }
  const known = new Map<string, number>();
  const measured: Measured = {
    name,
    quality(weights) {
      const key = CHOSEN.map((weight) => weights[weight].toFixed(6)).join(" ");
      const before = known.get(key);
      if (before !== undefined) return before;
      const quality = mean(
        judged.map(({ gathered, right }) => {
          const best = fuse(gathered, weights, { compare: view.compare, limit: 10 });
          return qualityOf(
            right,
            best.map(({ document }) => ids[document] ?? ""),
          ).ndcg10;
        }),
      );
      known.set(key, quality);
      return quality;
    },
  };
  return measured;
}

function choose(collections: readonly Measured[]): RankingWeights {
  const meanOf = (weights: RankingWeights) => mean(collections.map(({ quality }) => quality(weights)));
  let best = START;
  let greatest = meanOf(best);
  for (const step of STEPS) {
    for (const weight of CHOSEN) {
      for (const factor of [step, 1 / step]) {
        const changed = { ...best, [weight]: best[weight] * factor };
        const quality = meanOf(changed);
        if (quality <= greatest + GAIN) continue;
        [best, greatest] = [changed, quality];
        break;
      }
    }
  }
  return best;
}

function rounded(weights: RankingWeights): Record<string, number> {
  return Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, Number(weight.toPrecision(3))]));
}

const evalDir = findEvalDir(projectDir);
if (evalDir === undefined) throw new Error("there are no collections to choose by: set MKT_EVAL_DIR");
const expand = await loadBundledExpansion(projectDir);
const collections: Measured[] = [];
for (const name of DEVELOPMENT) collections.push(await open(name, evalDir, expand));

const chosen: Record<string, Record<string, number>> = {};
const all = choose(collections);
console.log("all", JSON.stringify(rounded(all)), mean(collections.map(({ quality }) => quality(all))).toFixed(4));
const own: number[] = [];
for (const { name, quality } of collections) {
  const weights = choose(collections.filter((other) => other.name !== name));
  chosen[name] = rounded(weights);
  own.push(quality(weights));
  console.log(
    name,
    "with weights chosen without it",
    quality(weights).toFixed(4),
    "with those of all",
    quality(all).toFixed(4),
  );
}
console.log("mean with weights chosen without each", mean(own).toFixed(4));
const path = join(projectDir, "bench", "discovery", "train", "chosen-weights.json");
const before = await readFile(path, "utf8").catch(() => "");
const text = `${JSON.stringify({ all: rounded(all), ...chosen }, null, 2)}\n`;
if (text !== before) await writeFile(path, text);
