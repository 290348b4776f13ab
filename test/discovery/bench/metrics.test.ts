import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findEvalDir, type Judgements, loadJudgedCollection } from "../../../bench/discovery/collections.ts";
import { measureQuality, quantile } from "../../../bench/discovery/metrics.ts";
import { tempDir } from "../../support/temp-dir.ts";

const evalDir = findEvalDir(fileURLToPath(new URL("../../..", import.meta.url)));

const oneRight: Judgements = new Map([["q", new Map([["right", 1]])]]);

describe("the figures of a ranking", () => {
  test.each([
    ["the right answer first", ["right", "wrong"], { ndcg10: 1, recall5: 1, recall10: 1, mrr10: 1 }],
    ["the right answer third", ["a", "b", "right"], { ndcg10: 0.5, recall5: 1, recall10: 1, mrr10: 1 / 3 }],
    ["the right answer seventh", [..."abcdef", "right"], { ndcg10: 1 / 3, recall5: 0, recall10: 1, mrr10: 1 / 7 }],
    ["the right answer eleventh", [..."abcdefghij", "right"], { ndcg10: 0, recall5: 0, recall10: 0, mrr10: 0 }],
    ["nothing", [], { ndcg10: 0, recall5: 0, recall10: 0, mrr10: 0 }],
  ])("are as they are defined for %s", (_, answer, expected) => {
    const quality = measureQuality(oneRight, new Map([["q", answer]]));

    expect(quality).toEqual({ ...roundedAlike(expected), queries: 1 });
  });

  test("give a full answer three times the gain of one in part", () => {
    const judgements: Judgements = new Map([["q", new Map(Object.entries({ full: 2, part: 1 }))]]);

    const { ndcg10 } = measureQuality(judgements, new Map([["q", ["part", "full"]]]));

    expect(ndcg10).toBeCloseTo((1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)));
  });

  test("count a query that was not answered as one with nothing right", () => {
    const judgements: Judgements = new Map([...oneRight, ["other", new Map([["right", 1]])]]);

    expect(measureQuality(judgements, new Map([["q", ["right"]]])).ndcg10).toBe(0.5);
  });

  test("have quantiles that are times which were measured", () => {
    const times = Array.from({ length: 100 }, (_, place) => 100 - place);

    expect([quantile(times, 0.5), quantile(times, 0.99), quantile([7], 0.99)]).toEqual([51, 100, 7]);
  });

  test.skipIf(evalDir === undefined)("are those of the scoring program of the collections", () => {
    using folder = tempDir();
    const dir = evalDir ?? "";
    const { queries, judgements, endpoints } = loadJudgedCollection(dir, "restbench");
    const ids = endpoints.map(({ id }) => id);
    const answers = new Map(
      queries.map(({ qid }, place) => {
        const right = [...(judgements.get(qid)?.keys() ?? [])];
        return [qid, [...ids.slice(place, place + (place % 4)), ...right.slice(place % 3), ...ids.slice(-5)]];
      }),
    );
    const file = join(folder.path, "answers.ndjson");
    writeFileSync(file, [...answers].map(([qid, given]) => JSON.stringify({ qid, ids: given })).join("\n"));

    const scored = JSON.parse(
      execFileSync(process.execPath, [join(dir, "score.mjs"), join(dir, "restbench"), file], { encoding: "utf8" }),
    );

    const { ndcg10, recall5, recall10, mrr10 } = measureQuality(judgements, answers);
    const asPrinted = (share: number) => Number((100 * share).toFixed(1));
    expect({ ndcg10: scored.ndcg10, recall5: scored.recall5, recall10: scored.recall10, mrr10: scored.mrr10 }).toEqual({
      ndcg10: asPrinted(ndcg10),
      recall5: asPrinted(recall5),
      recall10: asPrinted(recall10),
      mrr10: asPrinted(mrr10),
    });
    expect(scored.ndcg10).toBeGreaterThan(10);
  });
});

/** As far as sums of fractions agree. */
function roundedAlike(figures: Readonly<Record<string, number>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, expect.closeTo(value, 10)]));
}
