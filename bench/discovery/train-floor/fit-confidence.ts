import { join } from "node:path";
import { loadThesaurusFiles } from "../../../daemon/catalog/thesaurus-file.ts";
import { buildSegment } from "../../../daemon/discovery/index/build-segment.ts";
import type { IndexedDocument } from "../../../daemon/discovery/index/forward-index.ts";
import { viewOf } from "../../../daemon/discovery/index/index-view.ts";
import { calibrateConfidence, createSignReading, type Signs } from "../../../daemon/discovery/ranking/confidence.ts";
import { CONFIDENCE_WEIGHTS, type Sign } from "../../../daemon/discovery/ranking/confidence-weights.ts";
import { expansionsOf } from "../../../daemon/discovery/ranking/expansions.ts";
import { OFF_TOPIC_PROBES } from "../../../daemon/discovery/ranking/off-topic-probes.ts";
import { createRanker } from "../../../daemon/discovery/ranking/rank.ts";
import { compileThesaurus } from "../../../daemon/discovery/thesaurus/compile-thesaurus.ts";
import { loadWordVectors } from "../../../daemon/discovery/vectors/load-word-vectors.ts";
import { DEVELOPMENT, findEvalDir, loadJudgedCollection, loadOffTopic } from "../collections.ts";
import { mean } from "../metrics.ts";
import { serveCollection } from "../served-collection.ts";
import { modelFolderFor } from "../train/model-places.ts";
import { readSayings } from "./sayings.ts";

/*
 * Fits how much each sign of a match counts, by logistic regression: first right answers of judged queries and names of
 * endpoints against sayings that nothing answers, and requests of one collection put to another. Each collection is told with
 * the weights and the floor that were fitted without it. The off-topic queries of the collections are measured, never fitted.
 */

const SIGNS = Object.keys(CONFIDENCE_WEIGHTS) as Sign[];
const QUERIES = 150;
const NAMES = 60;
const FOREIGN = 40;
/** What part of the right answers the floor may cost. */
const LOST = 0.035;
const DEPTH = 30;
/** Places that are thought to hold no right answer. */
const WRONG_FROM = 60;
const WRONG_TO = 150;

type Shown = readonly Signs[];

interface Fitted {
  readonly weights: readonly number[];
  readonly bias: number;
}

interface Material {
  readonly name: string;
  /** From the first right answer on. */
  readonly right: readonly Shown[];
  readonly names: readonly Shown[];
  /** One by one, what ranks far below the right answers. */
  readonly wrong: readonly Shown[];
  readonly sayings: readonly Shown[];
  readonly foreign: readonly Shown[];
  readonly offTopic: readonly Shown[];
}

export async function fitConfidence(projectDir: string): Promise<void> {
  const evalDir = findEvalDir(projectDir);
  if (evalDir === undefined) throw new Error("there are no collections to fit by: set MKT_EVAL_DIR");
  const thesaurus = compileThesaurus((await loadThesaurusFiles([join(projectDir, "catalog", "thesaurus.yaml")])).data);
  const offTopic = loadOffTopic(evalDir).map(({ q }) => q);
  let place = 0;
  const sayings = readSayings(() => 0.5)
    .flatMap((group) => group.sayings)
    .filter(() => (place += 1) % 4 === 0);
  const all = DEVELOPMENT.map((name) => loadJudgedCollection(evalDir, name));
  const materials: Material[] = [];
  for (const collection of all) {
    const { ids, documents } = serveCollection(collection);
    const kept: IndexedDocument[] = [...documents()];
    const vectors = await loadWordVectors(modelFolderFor(projectDir, collection.name));
    const view = viewOf(buildSegment(kept, { vectorOf: (stems) => vectors.documentVector(stems) }));
    const ranker = createRanker(view, { vectors, expand: (q) => expansionsOf(q, thesaurus) });
    const signsOf = createSignReading(calibrateConfidence(view, { vectors }));
    const show = (q: string, isRight: (document: number) => boolean = () => true): Shown => {
      const ranking = ranker.rank(q, { limit: 200 });
      const first = ranking.candidates.findIndex(({ document }) => isRight(document));
      return first < 0 ? [] : ranking.candidates.slice(first, first + DEPTH).map(signsOf(q, ranking));
    };
    const judged = everySo(
      collection.queries.filter(({ qid }) => collection.judgements.has(qid)),
      QUERIES,
    );
    const others = all.filter(({ name }) => name !== collection.name).flatMap(({ queries }) => everySo(queries, 20));
    materials.push({
      name: collection.name,
      right: judged
        .map(({ qid, q }) => show(q, (document) => collection.judgements.get(qid)?.has(ids[document] ?? "") === true))
        .filter(({ length }) => length > 0),
      wrong: everySo(judged, 60).flatMap(({ q }) => {
        const ranking = ranker.rank(q, { limit: 200 });
        const far = ranking.candidates.slice(Math.min(WRONG_FROM, ranking.candidates.length / 2), WRONG_TO);
        return everySo(far, 4).map((candidate) => [signsOf(q, ranking)(candidate)]);
      }),
      names: everySo(kept, NAMES).map(({ fields }, number) =>
        show(
          fields.name
            .split(/[^A-Za-z]+/)
            .slice(0, 1 + (number % 3))
            .join(" "),
        ),
      ),
      sayings: [...OFF_TOPIC_PROBES, ...sayings].map((q) => show(q)),
      foreign: kept.length < 150 ? everySo(others, FOREIGN).map(({ q }) => show(q)) : [],
      offTopic: offTopic.map((q) => show(q)),
    });
    console.log(collection.name, "read");
  }
  const fitted = fit(materials);
  const floor = floorOf(materials, fitted);
  console.log("all", told(fitted), "floor", floor.toFixed(2));
  const rows = materials.map((own) => {
    const others = materials.filter((other) => other !== own);
    const without = fit(others);
    return { name: own.name, ...shares(own, without, floorOf(others, without)) };
  });
  console.table(rows);
  console.log("mean off-topic left unanswered", mean(rows.map(({ offTopic: share }) => share)).toFixed(3));
  console.log("mean right answers kept", mean(rows.map(({ kept }) => kept)).toFixed(3));
}

function everySo<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(count, items.length) }, (_, at) => items[Math.floor(at * step)]).flatMap(
    (item) => (item === undefined ? [] : [item]),
  );
}

function best(shown: Shown, { weights, bias }: Fitted): { readonly odds: number; readonly signs: Signs | undefined } {
  let odds = Number.NEGATIVE_INFINITY;
  let signs: Signs | undefined;
  for (const each of shown) {
    const z = SIGNS.reduce((sum, sign, at) => sum + (weights[at] ?? 0) * each[sign], bias);
    if (z > odds) [odds, signs] = [z, each];
  }
  return { odds, signs };
}

/** No sign may count against a candidate. */
function fit(materials: readonly Material[]): Fitted {
  const weights = SIGNS.map(() => 0.5);
  const means = SIGNS.map(() => 0);
  const squares = SIGNS.map(() => 0);
  let bias = 0;
  for (let step = 1; step <= 400; step += 1) {
    const slopes = SIGNS.map(() => 0);
    let biasSlope = 0;
    const learn = (group: readonly Shown[], isRight: boolean, share: number) => {
      for (const shown of group) {
        const { odds, signs } = best(shown, { weights, bias });
        if (signs === undefined) continue;
        const error = ((1 / (1 + Math.exp(-odds)) - Number(isRight)) * share) / group.length;
        SIGNS.forEach((sign, at) => (slopes[at] = (slopes[at] ?? 0) + error * signs[sign]));
        biasSlope += error;
      }
    };
    for (const { right, names, wrong, sayings, foreign } of materials) {
      learn(right, true, 1);
      learn(names, true, 0.3);
      learn(sayings, false, 1);
      learn(foreign, false, 0.3);
      learn(wrong, false, 0.4);
    }
    bias -= (0.3 * biasSlope) / materials.length;
    slopes.forEach((slope, at) => {
      const each = slope / materials.length + 3e-4 * (weights[at] ?? 0);
      means[at] = 0.9 * (means[at] ?? 0) + 0.1 * each;
      squares[at] = 0.99 * (squares[at] ?? 0) + 0.01 * each ** 2;
      const change = (means[at] ?? 0) / (1 - 0.9 ** step) / (Math.sqrt((squares[at] ?? 0) / (1 - 0.99 ** step)) + 1e-8);
      weights[at] = Math.max(0, (weights[at] ?? 0) - 0.05 * change);
    });
  }
  return { weights, bias };
}

function floorOf(materials: readonly Material[], fitted: Fitted): number {
  const odds = materials.flatMap(({ right }) => everySo(right, 70).map((shown) => best(shown, fitted).odds));
  return odds.sort((a, b) => a - b)[Math.floor(odds.length * LOST)] ?? 0;
}

function shares(own: Material, fitted: Fitted, floor: number) {
  const above = (group: readonly Shown[]) => mean(group.map((shown) => Number(best(shown, fitted).odds >= floor)));
  return {
    kept: above(own.right),
    names: above(own.names),
    offTopic: 1 - above(own.offTopic),
    wrong: 1 - above(own.wrong),
    foreign: own.foreign.length === 0 ? undefined : 1 - above(own.foreign),
  };
}

function told({ weights, bias }: Fitted): string {
  return `bias ${bias.toFixed(2)}, ${SIGNS.map((sign, at) => `${sign}: ${(weights[at] ?? 0).toFixed(2)}`).join(", ")}`;
}
