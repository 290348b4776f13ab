import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  findEvalDir,
  JUDGED,
  type JudgedCollection,
  loadJudgedCollection,
  loadOffTopic,
  type OffTopicQuery,
} from "../../../bench/discovery/collections.ts";
import { buildOurs } from "../../../bench/discovery/engines/ours.ts";
import { firstRight, mean, qualityOf } from "../../../bench/discovery/metrics.ts";
import { serveCollection } from "../../../bench/discovery/served-collection.ts";
import { effort } from "../../support/effort.ts";
import { compareWithCommitted, type Figures, isShown } from "./committed-figures.ts";

/** As deep as a right answer may lie and still count as kept by the floor. */
const LOOKED_AT = 50;
/** Most of the time goes to the two largest: the long form asks them too, and whoever wants to see the figures. */
const LARGE: readonly string[] = isShown() ? [] : effort(["haystack", "sealtools"], []);
const NAMES = JUDGED.filter((name) => !LARGE.includes(name));

const evalDir = findEvalDir(fileURLToPath(new URL("../../..", import.meta.url)));

describe(`the judged collections${evalDir === undefined ? ", which are not here (MKT_EVAL_DIR): skipped" : ""}`, () => {
  test.skipIf(evalDir === undefined)(
    "are answered no worse than the committed figures say",
    async () => {
      const offTopic = loadOffTopic(evalDir ?? "");
      const measured: Record<string, Figures> = {};
      for (const name of NAMES) measured[name] = await measure(loadJudgedCollection(evalDir ?? "", name), offTopic);

      if (isShown()) console.table(measured);
      expect(compareWithCommitted("collection-figures.json", measured, NAMES)).toEqual([]);
    },
    120_000,
  );
});

/** With weights and vectors as they are shipped, not those found without the collection: a guard, not a claim. */
async function measure(collection: JudgedCollection, offTopic: readonly OffTopicQuery[]): Promise<Figures> {
  const { ids, documents } = serveCollection(collection);
  const engine = await buildOurs(documents());
  const idsOf = (found: readonly number[]) => found.map((document) => ids[document] ?? "");
  const perQuery: { ndcg10: number; kept: number }[] = [];
  for (const { qid, q } of collection.queries) {
    const right = collection.judgements.get(qid);
    if (right === undefined) continue;
    const all = idsOf(await engine.search(q, LOOKED_AT));
    const place = firstRight(right, all);
    const best = place === undefined ? undefined : all[place - 1];
    const kept = best !== undefined && idsOf(await engine.searchAboveFloor(q, LOOKED_AT)).includes(best);
    perQuery.push({ ndcg10: qualityOf(right, all).ndcg10, kept: kept ? 1 : 0 });
  }
  const unanswered: number[] = [];
  for (const { q } of offTopic) unanswered.push((await engine.searchAboveFloor(q, 1)).length === 0 ? 1 : 0);
  return {
    ndcg10: mean(perQuery.map(({ ndcg10 }) => ndcg10)),
    rightKept: mean(perQuery.map(({ kept }) => kept)),
    offTopicUnanswered: mean(unanswered),
  };
}
