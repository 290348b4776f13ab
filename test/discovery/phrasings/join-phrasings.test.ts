import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinPhrasings, type PhrasingResult } from "../../../daemon/discovery/phrasings/join-phrasings.ts";

const ranking = fc.uniqueArray(fc.nat(30), { maxLength: 31 }).chain((items) =>
  fc
    .array(fc.double({ min: 1e-9, max: 2 - 1e-9, noNaN: true }), { minLength: items.length, maxLength: items.length })
    .map((scores) => {
      const falling = scores.sort((one, other) => other - one);
      return items.map((item, at): PhrasingResult<number> => ({ item, score: falling[at] ?? 0 }));
    }),
);
const rankings = fc.array(ranking, { minLength: 1, maxLength: 9 });

const listOf = (...items: readonly (readonly [item: string, score: number])[]) =>
  items.map(([item, score]) => ({ item, score }));

describe("joining the rankings of several phrasings", () => {
  test("gives everything that any of them found, once, with scores above 0 and below 2 that fall with rank", () => {
    fc.assert(
      fc.property(rankings, (lists) => {
        const joined = joinPhrasings(lists);

        expect(joined.map(({ item }) => item).sort()).toEqual(
          [...new Set(lists.flat().map(({ item }) => item))].sort(),
        );
        for (const [at, { score }] of joined.entries()) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThan(2);
          if (at > 0) expect(score).toBeLessThanOrEqual(joined[at - 1]?.score ?? 0);
        }
      }),
    );
  });

  test("says at which place each phrasing has a result", () => {
    fc.assert(
      fc.property(rankings, (lists) => {
        for (const { item, places } of joinPhrasings(lists)) {
          const expected = lists.map((list) => list.findIndex((result) => result.item === item) + 1);

          expect(places.map((place) => place ?? 0)).toEqual(expected);
        }
      }),
    );
  });

  test("does not depend on the order of the rephrasings", () => {
    fc.assert(
      fc.property(rankings, (lists) => {
        const scoresOf = (some: typeof lists) => new Map(joinPhrasings(some).map(({ item, score }) => [item, score]));
        const reversed = scoresOf([...lists].reverse());

        for (const [item, score] of scoresOf(lists)) expect(reversed.get(item)).toBeCloseTo(score, 4);
      }),
    );
  });

  test("takes the same places for the same worth, whichever phrasings have them", () => {
    // Added up in this order, 1/11 + 1/17 + 1/12 is less than 1/11 + 1/12 + 1/17, by the last bit.
    const at = (place: number, item: string, score: number) => [
      ...Array.from({ length: place - 1 }, (_, nth) => [`${item} ${place} ${nth}`, 1.9] as const),
      [item, score] as const,
    ];
    const surer = [at(1, "surer", 1.5), at(7, "surer", 1.5), at(2, "surer", 1.5)];
    const other = [at(1, "other", 0.1), at(2, "other", 0.1), at(7, "other", 0.1)];

    const items = joinPhrasings([...surer, ...other].map((list) => listOf(...list))).map(({ item }) => item);

    expect(items.indexOf("surer")).toBeLessThan(items.indexOf("other"));
  });

  test("what most phrasings have near the top comes before what one has first", () => {
    const joined = joinPhrasings([
      listOf(["stray", 1.9], ["right", 1.5]),
      listOf(["right", 1.8], ["other", 1.2]),
      listOf(["other", 1.6], ["right", 1.6]),
    ]);

    expect(joined.map(({ item }) => item)).toEqual(["right", "other", "stray"]);
  });

  test("agreement raises the score above that of each alone", () => {
    const [first] = joinPhrasings([listOf(["a", 1.5]), listOf(["a", 1.5]), listOf(["a", 1.5])]);

    expect(first?.score).toBeGreaterThan(1.5);
  });

  test("phrasings that each find something else leave no sure answer, however sure each was", () => {
    const joined = joinPhrasings(["a", "b", "c", "d", "e"].map((item) => listOf([item, 1.9])));

    expect(Math.max(...joined.map(({ score }) => score))).toBeLessThan(0.1);
  });
});
