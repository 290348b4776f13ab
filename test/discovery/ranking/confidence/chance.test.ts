import { expect, test } from "vitest";
import { chancesOf, leadsOf } from "../../../../daemon/discovery/ranking/confidence/chance.ts";
import { NO_SHAPE } from "../../../../daemon/discovery/ranking/signals/shape-fit.ts";
import type { Candidate } from "../../../../daemon/discovery/ranking/scoring/fuse.ts";

const SIGNS = { share: 0.8, named: 0.5, phrases: 0, known: 0, meaning: 0.3, worded: 0, request: 0, covered: 0 };
const ranked = (...places: readonly (readonly [relevance: number, group: number])[]) =>
  places.map(([relevance, group]) => ({ relevance, group, fit: NO_SHAPE }) as Candidate);

test("a match that is far ahead of the others is likelier to be right", () => {
  const [alone = 0] = chancesOf(ranked([1.5, 1], [1, 2]), () => SIGNS);
  const [amongTwins = 0] = chancesOf(ranked([1.5, 1], [1.49, 2]), () => SIGNS);

  expect(alone).toBeGreaterThan(amongTwins);
});

test("being ahead of the own provider says less than being ahead of all, and further ahead says nothing more", () => {
  expect(leadsOf(ranked([1.5, 1], [1.4, 1], [1, 2]))).toEqual({ lead: expect.closeTo(0.1), providerLead: 0.4 });
  expect(leadsOf(ranked([2, 1]))).toEqual({ lead: 0.4, providerLead: 0.4 });
  expect(leadsOf([])).toEqual({ lead: 0, providerLead: 0 });
});

test("chances fall with the place, whatever the signs", () => {
  const signs = [SIGNS, { ...SIGNS, share: 0 }, { ...SIGNS, share: 1, meaning: 1 }];
  const candidates = ranked([1.5, 1], [1.4, 2], [1.3, 3]);
  const chances = chancesOf(candidates, (candidate) => signs[candidates.indexOf(candidate)] ?? SIGNS);

  expect(chances).toEqual(chances.toSorted((one, other) => other - one));
  expect(chances[2]).toBe(chances[1]);
});

test("what does something else than is wanted is never possible, however well its words fit", () => {
  const others = ranked([2, 1]).map((one) => ({ ...one, fit: { ...NO_SHAPE, otherEffect: 1 } }));
  const [chance = 1] = chancesOf(others, () => ({ ...SIGNS, share: 1, named: 1, meaning: 0.9 }));

  expect(chance).toBeLessThan(0.5);
});

test("what comes after something of another effect keeps its own chance", () => {
  const [first, second] = ranked([1.5, 1], [1.4, 2]);
  const capped = [{ ...first, fit: { ...NO_SHAPE, otherEffect: 1 } }, second] as Candidate[];
  const signs = { ...SIGNS, share: 1, named: 1, meaning: 0.9 };
  const [ofFirst = 1, ofSecond = 0] = chancesOf(capped, () => signs);

  expect(ofFirst).toBeLessThan(0.5);
  expect(ofSecond).toBe(chancesOf(ranked([1.5, 1], [1.4, 2]), () => signs)[1]);
  expect(ofSecond).toBeGreaterThan(0.9);
});
