import { describe, expect, test } from "vitest";
import { fitCosineScale, meaningScore } from "../../../daemon/discovery/services/vectors/cosine-scale.ts";
import { fuseMeaning, fuseRerank } from "../../../daemon/discovery/services/fusion.ts";

const scored = (...pairs: [string, number][]) => pairs.map(([item, score]) => ({ item, score }));
const items = (found: readonly { readonly item: string }[]) => found.map(({ item }) => item);

describe("a cosine as a score", () => {
  const calibration = { offTopic: 0.7, right: 0.8 };
  const floor = 0.2;

  test.each([
    ["what is nearer than off-topic sentences come passes the floor without any words", 0.71, true],
    ["what is as near as they come does not", 0.69, false],
  ])("%s", (_, cosine, passes) => {
    const [alone] = fuseMeaning([], new Map([["found", meaningScore(cosine, calibration, floor)]]));

    expect((alone?.score ?? 0) >= floor).toBe(passes);
  });

  test("grows with the cosine and stays within 0 to 2, at any floor", () => {
    for (const anyFloor of [0, 0.2, 0.5, 1, 2]) {
      const scores = [-1, 0, 0.5, 0.65, 0.7, 0.75, 0.8, 0.9, 1].map((cosine) =>
        meaningScore(cosine, calibration, anyFloor),
      );
      expect(scores).toEqual(scores.toSorted((a, b) => a - b));
      expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...scores)).toBeLessThanOrEqual(2);
    }
  });

  test("means nothing where a model brings asks no nearer to their endpoints than what is off topic", () => {
    expect(fitCosineScale([0.7, 0.71, 0.72], [0.71, 0.7, 0.73])).toBeUndefined();
    expect(fitCosineScale([], [])).toBeUndefined();
    expect(fitCosineScale([0.1, 0.2, 0.3], [0.6, 0.7, 0.5])).toEqual({
      offTopic: expect.closeTo(0.375, 5),
      right: 0.6,
    });
  });
});

describe("words and meaning together", () => {
  test("put first what both find", () => {
    const fused = fuseMeaning(
      scored(["words", 1], ["both", 0.9]),
      new Map([
        ["both", 1],
        ["words", 0.2],
        ["meaning", 1.1],
      ]),
    );

    expect(items(fused)).toEqual(["both", "words", "meaning"]);
    expect(fused.map(({ score }) => score)).toEqual([0.95, 0.6, 0.55]);
  });

  test("take what has no vector at its word", () => {
    expect(fuseMeaning(scored(["new", 0.8]), new Map())).toEqual(scored(["new", 0.8]));
  });

  test("leave out what neither finds", () => {
    expect(fuseMeaning([], new Map([["far", 0]]))).toEqual([]);
  });

  test("do not change places among equals", () => {
    const meanings = new Map(["a", "b", "c"].map((item) => [item, 1]));

    expect(items(fuseMeaning(scored(["b", 1], ["a", 1], ["c", 1]), meanings))).toEqual(["b", "a", "c"]);
  });
});

describe("the order of a reranker", () => {
  const ranked = scored(["a", 1.4], ["b", 1.2], ["c", 0.5], ["d", 0.1]);

  test("moves what was found along the scores, whatever scale its own are on", () => {
    const judgements = [0.01, 0.02, 0.97, 0.03];
    const [usual, logits] = [(score: number) => score, (score: number) => score * 40 - 30];

    const [one, other] = [usual, logits].map((scale) =>
      fuseRerank(ranked, new Map(judgements.map((score, place) => [place, scale(score)]))),
    );

    expect(items(one ?? [])).toEqual(["c", "a", "b", "d"]);
    expect(one?.map(({ score }) => score)).toEqual([1.4, 1.2, 0.5, 0.1]);
    expect(other).toEqual(one);
  });

  test("has no more and no less above any floor than there was", () => {
    const fused = fuseRerank(
      ranked,
      new Map([
        [3, 5],
        [2, 4],
        [1, 3],
        [0, 2],
      ]),
    );

    for (const floor of [0, 0.2, 0.6, 1.3, 2]) {
      const above = (found: typeof ranked) => found.filter(({ score }) => score >= floor).length;
      expect(above(fused)).toBe(above(ranked));
    }
  });

  test("leaves at the end what it said nothing of, in the order that was there", () => {
    expect(
      items(
        fuseRerank(
          ranked,
          new Map([
            [2, 0.9],
            [1, 0.1],
          ]),
        ),
      ),
    ).toEqual(["c", "b", "a", "d"]);
  });

  test("leaves the order as it was when it finds everything equally good", () => {
    expect(
      items(
        fuseRerank(
          ranked,
          new Map([
            [0, 1],
            [1, 1],
            [2, 1],
            [3, 1],
          ]),
        ),
      ),
    ).toEqual(["a", "b", "c", "d"]);
  });
});
